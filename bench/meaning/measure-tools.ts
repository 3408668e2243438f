// Measures how well find_tools finds, by words, by vectors and by both, with its own index and
// answer.
import { isObject } from '../../src/base/json/json.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { createBuiltinEmbedder } from '../../src/search/embed/builtin-embedder.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { boundedRequests } from '../../src/surfaces/discover/find-tools.ts'
import { requestsOf } from '../../src/surfaces/tool-search/read-request.ts'
import { searchTools } from '../../src/surfaces/tool-search/search-tools.ts'
import { type ToolHit, ToolIndex, inTurn } from '../../src/surfaces/tool-search/tool-index.ts'
import { createToolMeanings } from '../../src/surfaces/tool-search/tool-meanings.ts'
import type { Nearness } from '../../src/surfaces/tool-search/tool-vectors.ts'
import { quantile } from '../support/numbers.ts'

export interface ToolQuery {
  readonly query: string
  /** Names of tools as `server.name`; empty if no tool fits. */
  readonly tools: readonly string[]
  /** Whether all of them are required; otherwise one is enough. */
  readonly all?: boolean
}

export interface ToolSet {
  readonly tools: readonly Tool[]
  readonly queries: readonly ToolQuery[]
}

export type Mode = 'words' | 'vectors' | 'fused'

export interface ToolQuality {
  readonly recallAt5: number
  readonly anyAt5: number
  readonly top1: number
  readonly top3: number
  readonly mrr: number
  readonly tokens: number
  /** How many queries that no tool fits were answered with no tool, or only with weak ones. */
  readonly refused: number
  /** How many other queries were answered so. */
  readonly refusedWrongly: number
  readonly misses: readonly { query: string; wanted: string; got: string }[]
}

const LIMIT = 20
const accept = () => true

/** Builds the index and the vectors of a set, as a gateway does. */
export async function openTools(tools: readonly Tool[]) {
  const index = new ToolIndex()
  index.update(tools)
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  meanings.update(tools)
  await meanings.near(['warm up'])
  return {
    index,
    near: async (requests: readonly string[]) => (await meanings.near(requests)).nearness,
  }
}

type Tools = Awaited<ReturnType<typeof openTools>>

export async function measureTools(
  opened: Tools,
  { tools, queries }: ToolSet,
  mode: Mode,
): Promise<ToolQuality> {
  const answered = []
  for (const query of queries)
    answered.push({ query, ...(await answer(opened, tools, query, mode)) })
  const [asked, unanswerable] = [
    answered.filter(({ query }) => query.tools.length > 0),
    answered.filter(({ query }) => query.tools.length === 0),
  ]
  const firsts = asked.map(({ query, names }) =>
    names.findIndex((name) => query.tools.includes(name)),
  )
  const shares = asked.map(({ query, names }) => {
    const top = new Set(names.slice(0, 5))
    return query.tools.filter((name) => top.has(name)).length / query.tools.length
  })
  const anyAt5 = sum(shares.map(Math.ceil)) / asked.length
  return {
    recallAt5:
      sum(shares.map((share, at) => (asked[at]?.query.all ? share : Math.ceil(share)))) /
      asked.length,
    anyAt5,
    top1: firsts.filter((first) => first === 0).length,
    top3: firsts.filter((first) => first >= 0 && first < 3).length,
    mrr: sum(firsts.map((first) => (first < 0 ? 0 : 1 / (first + 1)))) / asked.length,
    tokens: sum(answered.map(({ tokens }) => tokens)) / answered.length,
    refused: unanswerable.filter(({ isRefused }) => isRefused).length,
    refusedWrongly: asked.filter(({ isRefused }) => isRefused).length,
    misses: asked.flatMap(({ query, names }, at) =>
      shares[at] === 0
        ? [
            {
              query: query.query,
              wanted: query.tools.join(' or '),
              got: names.slice(0, 3).join(', '),
            },
          ]
        : [],
    ),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

async function answer(
  { index, near }: Tools,
  tools: readonly Tool[],
  { query }: ToolQuery,
  mode: Mode,
) {
  const requests = requestsOf(query)
  const meanings = mode === 'words' ? undefined : await near(requests)
  const names =
    mode === 'vectors' ? byVectors(tools, meanings ?? []) : fusedNames(index, requests, meanings)
  // Only the fused mode is what an agent gets.
  if (mode !== 'fused') return { names, tokens: 0, isRefused: false }
  const given = searchTools(index, { requests, meanings, permits: accept })
  return {
    names,
    tokens: countTokens(JSON.stringify(given)),
    isRefused:
      Array.isArray(given['tools']) &&
      given['tools'].every((tool) => isObject(tool) && tool['weak'] === true),
  }
}

function fusedNames(
  index: ToolIndex,
  requests: readonly string[],
  nearness: readonly (Nearness | undefined)[] | undefined,
): string[] {
  const lists = requests.map((request, at): ToolHit[] =>
    index.search(request, {
      limit: LIMIT,
      requests: requests.length,
      accept,
      nearness: nearness?.[at],
    }),
  )
  return inTurn(lists, LIMIT).map(({ tool }) => nameOf(tool))
}

/** Returns the best tools by cosine alone, over all parts of the request. */
function byVectors(tools: readonly Tool[], nearness: readonly (Nearness | undefined)[]): string[] {
  return tools
    .map((tool) => {
      const key = `${tool.server}\n${tool.name}`
      return { tool, score: Math.max(...nearness.map((each) => each?.whole(key) ?? 0)) }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ tool }) => nameOf(tool))
}

export function nameOf({ server, name }: Pick<Tool, 'server' | 'name'>): string {
  return `${server}.${name}`
}

/** Times whole answers over many tools, in milliseconds; other programs do not affect CPU times. */
export async function measureLatency(tools: readonly Tool[], queries: readonly ToolQuery[]) {
  const started = performance.now()
  const opened = await openTools(tools)
  const openMs = performance.now() - started
  const times: number[] = []
  const cpuTimes: number[] = []
  for (let pass = 0; pass < 4; pass++) {
    for (const { query } of queries) {
      const before = performance.now()
      const cpu = process.cpuUsage()
      const { requests } = boundedRequests(query)
      const meanings = await opened.near(requests)
      searchTools(opened.index, { requests, meanings, permits: accept })
      const { user, system } = process.cpuUsage(cpu)
      // The first pass is a warm-up.
      if (pass === 0) continue
      times.push(performance.now() - before)
      cpuTimes.push((user + system) / 1000)
    }
  }
  return {
    tools: tools.length,
    openMs,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    p95CpuMs: quantile(cpuTimes, 0.95),
  }
}
