import { effectOf } from '../../gateway/effect.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json.ts'
import { signature } from '../../shaping/signature.ts'
import { countTokens } from '../../shaping/tokens.ts'
import type { ToolIndex } from './tool-index.ts'
import type { Nearest } from './tool-meanings.ts'

export interface ToolQuestion {
  readonly queries: readonly string[]
  readonly limit?: number | undefined
  readonly servers?: readonly string[] | undefined
  readonly maxTokens?: number | undefined
  /** What an embedder finds near each query, where there is one. */
  readonly meanings?: readonly Nearest[] | undefined
  /** Whether the agent that asks may use a tool. */
  permits(tool: Tool): boolean
}

const DEFAULT_LIMIT = 5
const MOST = 50
const NEIGHBOURS = 4
/** Room for what stands around the list. */
const FRAME_TOKENS = 60

/** What `find_tools` answers: the best tools as lines to call them by, as many as fit. */
export function searchTools(index: ToolIndex, question: ToolQuestion): JsonObject {
  const limit = Math.min(question.limit ?? DEFAULT_LIMIT, MOST)
  const servers = question.servers && new Set(question.servers)
  const accept = (tool: Tool) =>
    (servers === undefined || servers.has(tool.server)) && question.permits(tool)
  const hits = index.searchAll(question.queries, { limit, accept }, question.meanings)
  const tools = fitting(
    hits.map(({ tool }) => describe(tool)),
    question.maxTokens,
  )
  const [best] = hits
  const related = best ? index.neighbours(best.tool, { limit: NEIGHBOURS, accept }) : []
  const shown = new Set(hits.slice(0, tools.length).map(({ tool }) => tool))
  const near = related
    .filter((tool) => !shown.has(tool))
    .map(({ server, name }) => `${server}.${name}`)
  return {
    tools,
    ...(tools.length < hits.length && { omitted: hits.length - tools.length }),
    ...(near.length > 0 && { related: near }),
    next:
      tools.length > 0
        ? 'execute_tool(server, tool, args)'
        : 'No tool matches: try other words, or list_servers.',
  }
}

function describe(tool: Tool): JsonObject {
  return {
    server: tool.server,
    call: signature(tool.definition, { maxLength: 240 }),
    about: firstSentence(tool.definition['description']),
    does: effectOf(tool),
  }
}

const LONGEST_ABOUT = 140

function firstSentence(description: unknown): string {
  if (typeof description !== 'string') return ''
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s|\n/, 1)
  return sentence.length > LONGEST_ABOUT ? `${sentence.slice(0, LONGEST_ABOUT)}…` : sentence
}

/** In order of rank; one that does not fit ends the list, so that a worse one never takes its place. */
function fitting(
  tools: readonly JsonObject[],
  maxTokens: number | undefined,
): readonly JsonObject[] {
  if (maxTokens === undefined) return tools
  let room = maxTokens - FRAME_TOKENS
  const end = tools.findIndex((tool) => {
    room -= countTokens(JSON.stringify(tool)) + 1
    return room < 0
  })
  return end === -1 ? tools : tools.slice(0, end)
}
