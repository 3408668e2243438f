import { effectOf } from '../../gateway/tools/effect.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { signature } from '../../shaping/signature.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { type ToolHit, type ToolIndex, inTurn } from './tool-index.ts'
import { thingsOf } from './action.ts'
import { joinWordings } from './join-wordings.ts'
import { firstSentence } from './tool-text.ts'
import type { Nearness } from './tool-vectors.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

export interface ToolQuestion {
  /** The requests of the query, of which each gets its own places, then other wordings of it. */
  readonly requests: readonly string[]
  /** How many of these are other wordings. */
  readonly wordings?: number | undefined
  readonly limit?: number | undefined
  readonly servers?: readonly string[] | undefined
  readonly maxTokens?: number | undefined
  /** The tokens of what else the answer shows, such as skills; the tools then take fewer. */
  readonly otherTokens?: number | undefined
  /** The nearness of tools to each request, if it has a vector. */
  readonly meanings?: readonly (Nearness | undefined)[] | undefined
  /** Whether to report how each tool was found. */
  readonly explain?: boolean | undefined
  /** A bonus or penalty for a tool besides its texts. */
  readonly standing?: ((tool: Tool) => number) | undefined
  /** Servers to which calls would fail now; their best tools are named. */
  readonly down?: ReadonlySet<string> | undefined
  /** Returns a tool as the caller has it, which others may have with another description. */
  readonly seen?: (tool: Tool) => Tool | undefined
  /** Whether the calling agent may use a tool. */
  permits(tool: Tool): boolean
  /** Whether a person may be asked before a call. */
  readonly asks?: (tool: Tool) => boolean
}

/** The next step after a tool was found. */
export const NEXT = 'execute_tool(server, tool, args)'
const NO_ROOM = 'Tools were found, but max_tokens has room for none of them: give more.'

const DEFAULT_LIMIT = 5
const MOST = 50
const NEIGHBOURS = 4
const MAX_ABOUT_LENGTH = 140
/** Tokens for what surrounds the list. */
const FRAME_TOKENS = 60

/** Answers `find_tools`: the best tools, each as a line to call it by, as many as fit. */
export function searchTools(index: ToolIndex, question: ToolQuestion): JsonObject {
  const { requests, meanings, standing } = question
  const limit = Math.min(question.limit ?? DEFAULT_LIMIT, MOST)
  // Whether anything is near is seen by more than one tool.
  const depth = Math.max(limit, DEFAULT_LIMIT)
  const servers = question.servers && new Set(question.servers)
  const accept = (tool: Tool) =>
    (servers === undefined || servers.has(tool.server)) && question.permits(tool)
  const lists = requests.map((request, at) =>
    index.search(request, {
      limit: depth,
      requests: requests.length,
      accept,
      standing,
      nearness: meanings?.[at],
    }),
  )
  const found = joinWordings(requests, lists, question.wordings ?? 0)
  const [fitting, strange] = divide(found, ({ hits }) => hits.some(({ fits }) => fits))
  const weak = inTurn(
    strange.map(({ hits }) => (hits.some(isNear) ? hits : [])),
    fitting.length > 0 ? strange.length : limit,
  )
  const hits = [
    ...inTurn(
      fitting.map((each) => each.hits.map((hit) => ({ ...hit, fits: true }))),
      Math.max(limit, fitting.length),
    ),
    ...(fitting.length > 0 ? weak : weak.slice(0, limit)),
  ]
  const tools = describeAll(hits, question)
  const shown = new Set(hits.slice(0, tools.length).map(({ tool }) => tool))
  const [best] = hits
  const related = best ? index.neighbours(best.tool, { limit: NEIGHBOURS, accept }) : []
  const near = related.filter((tool) => !shown.has(tool)).map(fullName)
  return {
    tools,
    ...(tools.length < hits.length && { omitted: hits.length - tools.length }),
    ...(near.length > 0 && { related: near }),
    ...describeDown(index, question, accept),
    ...(strange.length > 0 &&
      found.length > 1 && { nothing_fits: strange.map(({ request }) => shortened(request, 80)) }),
    ...(weak.length > 0 && { advice: adviceFor(weak) }),
    next: nextStep(tools.length, hits),
  }
}

const MAX_DOWN = 3

/** Names the tools that would fit, were their servers not down: they rank lower, or not at all. */
function describeDown(
  index: ToolIndex,
  { requests, meanings, down = NONE }: ToolQuestion,
  accept: (tool: Tool) => boolean,
): JsonObject {
  if (down.size === 0) return {}
  const ofDown = (tool: Tool) => down.has(tool.server) && accept(tool)
  const found = requests
    .slice(0, MAX_DOWN)
    .flatMap((request, at) =>
      index.search(request, { limit: 1, accept: ofDown, nearness: meanings?.[at] }),
    )
    .filter(({ fits }) => fits)
  const names = [...new Set(found.map(({ tool }) => fullName(tool)))]
  return names.length > 0 ? { down_now: names } : {}
}

const NONE: ReadonlySet<string> = new Set()

function divide<Value>(values: readonly Value[], isFirst: (value: Value) => boolean) {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))] as const
}

/** If no tool is even this near, the request is about something else altogether. */
const MIN_NEAR = -0.1

function isNear({ near = 0 }: ToolHit): boolean {
  return near > MIN_NEAR
}

function nextStep(shown: number, hits: readonly ToolHit[]): string {
  if (hits.length === 0) return 'No tool matches: try other words, or list_servers.'
  if (shown === 0) return NO_ROOM
  return hits.some(({ fits }) => fits) ? NEXT : ONLY_WEAK
}

const ONLY_WEAK =
  'These are merely the nearest tools: look at one with get_server_tools before you call it, or ask again.'
const MAX_NAMED = 6

/** Says which words would find more, with what the nearest tools are about. */
function adviceFor(weak: readonly ToolHit[]): string {
  const near = [...new Set(weak.flatMap(({ tool }) => thingsOf(tool)))].slice(0, MAX_NAMED)
  const names = near.length > 0 ? `; nearby: ${near.join(', ')}` : ''
  return `Hardly a word of this is in a tool. Ask again with the product's own terms in \`also\`${names}.`
}

function fullName(tool: Tool): string {
  return `${tool.server}.${shownName(tool)}`
}

/** The average tokens of a place in the list; with what surrounds them, five take 320. */
const TOKENS_PER_TOOL = 57

/**
 * Describes as many tools as `maxTokens` has room for, in the order of rank. If the list costs too
 * much, the last ones show only what a call needs; the first does so only to find room at all.
 */
function describeAll(
  hits: readonly ToolHit[],
  { explain = false, maxTokens = Infinity, otherTokens = 0, seen, asks }: ToolQuestion,
): JsonObject[] {
  const own = hits.map((hit) => ({
    ...hit,
    tool: seen?.(hit.tool) ?? hit.tool,
    asks: asks?.(hit.tool) === true,
  }))
  const described = own.map((hit) => describe(hit, { explain }))
  const costs = described.map(tokensOf)
  let room = maxTokens - FRAME_TOKENS
  const usual = TOKENS_PER_TOOL * hits.length - otherTokens
  let excess = costs.reduce((sum, cost) => sum + cost, 0) - Math.min(usual, room)
  for (const [at, hit] of [...own.entries()].toReversed()) {
    const cost = costs[at] ?? 0
    if (excess <= 0 || (at === 0 && cost <= room)) break
    const brief = describe(hit, { explain, isBrief: true })
    described[at] = brief
    costs[at] = tokensOf(brief)
    excess -= cost - tokensOf(brief)
  }
  const end = costs.findIndex((cost) => {
    room -= cost
    return room < 0
  })
  return end === -1 ? described : described.slice(0, end)
}

function tokensOf(tool: JsonObject): number {
  return countTokens(JSON.stringify(tool)) + 1
}

function describe(
  { tool, foundBy, fits, near = 0, asks }: ToolHit & { readonly asks: boolean },
  { explain, isBrief = false }: { readonly explain: boolean; readonly isBrief?: boolean },
): JsonObject {
  return {
    server: tool.server,
    call: signature(tool.definition, { maxLength: 240, isBrief }),
    about: shortened(firstSentence(tool.definition['description']), MAX_ABOUT_LENGTH),
    does: asks ? `${effectOf(tool)}, needs approval` : effectOf(tool),
    ...(!fits && { weak: true, score: Math.max(0, Math.round(100 * near)) / 100 }),
    ...(explain && { found_by: foundBy }),
  }
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
