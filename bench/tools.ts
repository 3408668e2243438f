// Measures how well find_tools finds: `npm run bench -- tools`. Hand-written queries over tools of
// real servers and a real spec; latency at 4,000 tools. `--set FILE` measures a public set given as
// { tools: [{ server, name, definition }], queries: [{ query, tools: ["server.name"] }] } instead.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Tool } from '../src/gateway/upstream.ts'
import {
  type ToolQuery,
  type ToolSet,
  measureLatency,
  measureTools,
  openTools,
} from './meaning/measure-tools.ts'
import { apiTools, measureHalves } from './meaning/measure-wordings.ts'
import { round } from './support/numbers.ts'
import { manyTools, ownSet } from './meaning/own-sets.ts'

/** A public set, which does not say which tools are read-only. */
interface PublicSet {
  readonly tools: readonly Omit<Tool, 'readOnly'>[]
  readonly queries: readonly ToolQuery[]
}

const { values: options } = parseArgs({ options: { set: { type: 'string' } } })
const set = options.set === undefined ? await ownSet() : publicSet(options.set)

const quality = await measureTools(await openTools(set.tools), set, 'fused')
console.log(`${set.tools.length} tools, ${set.queries.length} queries`)
for (const miss of quality.misses) {
  console.log(`  missed: "${miss.query}" wanted ${miss.wanted}, got ${miss.got}`)
}
const apis = options.set === undefined ? await measureHalves('apis', await apiTools()) : undefined
const many = manyTools(set.tools)
const latency = await measureLatency(many, set.queries)
const long = await measureLatency(many, longQueries(set.queries))
console.log(
  'RESULT ' +
    JSON.stringify({
      recallAt5: round(quality.recallAt5, 3),
      mrr: round(quality.mrr, 3),
      tokensPerAnswer: Math.round(quality.tokens),
      p95Ms: round(latency.p95Ms, 3),
      recallAt1: round(quality.top1 / set.queries.length, 3),
      p50Ms: round(latency.p50Ms, 3),
      // In processor time, which other programs on the machine do not change.
      p95CpuMs: round(latency.p95CpuMs, 3),
      p95CpuMsOfLongQueries: round(long.p95CpuMs, 3),
      toolsAtLatency: latency.tools,
      openMs: Math.round(latency.openMs),
      // Wishes about five large public APIs, in a person's words, in an agent's, and reworded.
      ...(apis && { apis }),
    }),
)

/** Makes as many queries of 2,000 characters, each of several requests. */
function longQueries(queries: readonly ToolQuery[]): ToolQuery[] {
  return queries.map((_, at) => {
    const rotated = [...queries.slice(at), ...queries.slice(0, at)]
    const query = rotated.map((one) => one.query).join('; ')
    return { query: query.slice(0, 2_000), tools: [] }
  })
}

function publicSet(path: string): ToolSet {
  const { tools, queries }: PublicSet = JSON.parse(readFileSync(path, 'utf8'))
  return { queries, tools: tools.map((tool) => ({ readOnly: false, ...tool })) }
}
