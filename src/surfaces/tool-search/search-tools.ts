import { effectOf } from '../../gateway/tools/effect.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { signature } from '../../shaping/signature.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { type ToolHit, type ToolIndex, inTurn } from './tool-index.ts'
import { firstSentence } from './tool-text.ts'
import type { Nearness } from './tool-vectors.ts'

export interface ToolQuestion {
  /** The requests of the query; each gets its own places. */
  readonly requests: readonly string[]
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
  /** Returns a tool as the caller has it, which others may have with another description. */
  readonly seen?: (tool: Tool) => Tool | undefined
  /** Whether the calling agent may use a tool. */
  permits(tool: Tool): boolean
}

/** The next step after a tool was found. */
export const NEXT = 'execute_tool(server, tool, args)'
const NO_ROOM = 'Tools were found, but max_tokens has room for none of them: give more.'

const DEFAULT_LIMIT = 5
const MOST = 50
const NEIGHBOURS = 4
const NEAREST = 3
const MAX_ABOUT_LENGTH = 140
/** Tokens for what surrounds the list. */
const FRAME_TOKENS = 60

/** Answers `find_tools`: the best tools, each as a line to call it by, as many as fit. */
export function searchTools(index: ToolIndex, question: ToolQuestion): JsonObject {
  const { requests, meanings, standing } = question
  const limit = Math.min(question.limit ?? DEFAULT_LIMIT, MOST)
  const servers = question.servers && new Set(question.servers)
  const accept = (tool: Tool) =>
    (servers === undefined || servers.has(tool.server)) && question.permits(tool)
  const found = requests.map((request, at) => ({
    request,
    hits: index.search(request, { limit, accept, standing, nearness: meanings?.[at] }),
  }))
  const [fitting, strange] = divide(found, ({ hits }) => hits.some(({ fits }) => fits))
  const hits = inTurn(
    fitting.map((each) => each.hits),
    Math.max(limit, fitting.length),
  )
  const tools = describeAll(hits, question)
  const shown = new Set(hits.slice(0, tools.length).map(({ tool }) => tool))
  const [best] = hits
  const related = best ? index.neighbours(best.tool, { limit: NEIGHBOURS, accept }) : []
  const near = related.filter((tool) => !shown.has(tool)).map(fullName)
  return {
    tools,
    ...(tools.length < hits.length && { omitted: hits.length - tools.length }),
    ...(near.length > 0 && { related: near }),
    ...describeStrange(strange, requests.length > 1),
    next: tools.length > 0 ? NEXT : hits.length > 0 ? NO_ROOM : nothing(strange),
  }
}

interface Found {
  readonly request: string
  readonly hits: readonly ToolHit[]
}

function divide<Value>(values: readonly Value[], isFirst: (value: Value) => boolean) {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))] as const
}

/** Describes requests that no tool fits, with the tools that are nearest. */
function describeStrange(strange: readonly Found[], areParts: boolean): JsonObject {
  const nearest = inTurn(
    strange.map(({ hits }) => hits),
    NEAREST,
  ).map(({ tool }) => fullName(tool))
  return {
    ...(strange.length > 0 &&
      areParts && { nothing_fits: strange.map(({ request }) => shortened(request, 80)) }),
    ...(nearest.length > 0 && { nearest }),
  }
}

function nothing(strange: readonly Found[]): string {
  return strange.some(({ hits }) => hits.length > 0)
    ? 'No tool fits. Look at a nearest one with get_server_tools, try other words, or list_servers.'
    : 'No tool matches: try other words, or list_servers.'
}

function fullName({ server, name }: Tool): string {
  return `${server}.${name}`
}

/** The average tokens of a place in the list; with what surrounds them, five take 320. */
const TOKENS_PER_TOOL = 57

/**
 * Describes as many tools as `maxTokens` has room for, in the order of rank. If the list costs too
 * much, the last ones show only what a call needs; the first does so only to find room at all.
 */
function describeAll(
  hits: readonly ToolHit[],
  { explain = false, maxTokens = Infinity, otherTokens = 0, seen }: ToolQuestion,
): JsonObject[] {
  const own = hits.map((hit) => ({ ...hit, tool: seen?.(hit.tool) ?? hit.tool }))
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
  { tool, foundBy }: ToolHit,
  { explain, isBrief = false }: { readonly explain: boolean; readonly isBrief?: boolean },
): JsonObject {
  return {
    server: tool.server,
    call: signature(tool.definition, { maxLength: 240, isBrief }),
    about: shortened(firstSentence(tool.definition['description']), MAX_ABOUT_LENGTH),
    does: effectOf(tool),
    ...(explain && { found_by: foundBy }),
  }
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
