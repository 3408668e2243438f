// How well find_tools finds: `npm run bench:tools`. Hand-written queries over tools of real servers
// and a real spec; latency at 4,000 tools. `--set FILE` measures a public set given as
// { tools: [{ server, name, definition }], queries: [{ query, tools: ["server.name"] }] } instead.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Tool } from '../src/gateway/upstream.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { searchTools } from '../src/surfaces/tool-search/search-tools.ts'
import { ToolIndex } from '../src/surfaces/tool-search/tool-index.ts'
import { quantile, round } from './support/numbers.ts'
import { readSpec, serverTools, specTools } from './support/real-tools.ts'

interface Query {
  readonly query: string
  /** Names of tools as `server.name`. */
  readonly tools: readonly string[]
  /** Whether all of them are wanted. */
  readonly all?: boolean
}

interface ToolSet {
  readonly tools: readonly Tool[]
  readonly queries: readonly Query[]
}

/** A set from elsewhere, which does not say what only reads. */
interface PublicSet {
  readonly tools: readonly Omit<Tool, 'readOnly'>[]
  readonly queries: readonly Query[]
}

const SIZE = 500
const LARGE = 4000
const accept = () => true

const { values: options } = parseArgs({ options: { set: { type: 'string' } } })
const set = options.set === undefined ? await ownSet() : publicSet(options.set)

const index = new ToolIndex()
index.update(set.tools)
const quality = measureQuality(index, set.queries)
console.log(`${set.tools.length} tools, ${set.queries.length} queries`)
for (const miss of quality.misses) {
  console.log(`  missed: "${miss.query}" wanted ${miss.wanted}, got ${miss.got}`)
}
const latency = measureLatency(manyTools(set.tools), set.queries)
console.log(
  'RESULT ' +
    JSON.stringify({
      recallAt5: round(quality.recallAt5, 3),
      mrr: round(quality.mrr, 3),
      tokensPerAnswer: Math.round(quality.tokens),
      p95Ms: round(latency.p95Ms, 3),
      recallAt1: round(quality.recallAt1, 3),
      p50Ms: round(latency.p50Ms, 3),
      // In processor time, which other programs on the machine do not change.
      p95CpuMs: round(latency.p95CpuMs, 3),
      toolsAtLatency: latency.tools,
      indexMs: Math.round(latency.indexMs),
    }),
)

async function ownSet(): Promise<ToolSet> {
  const file = new URL('data/tool-queries.json', import.meta.url)
  const queries: Query[] = JSON.parse(readFileSync(file, 'utf8'))
  const wanted = new Set(queries.flatMap(({ tools }) => tools))
  const own = await serverTools()
  const operations = specTools(readSpec(), 'github-api')
  const needed = operations.filter((tool) => wanted.has(nameOf(tool)))
  const others = operations.filter((tool) => !wanted.has(nameOf(tool)))
  const room = SIZE - own.length - needed.length
  const step = others.length / room
  const chosen = new Set(Array.from({ length: room }, (_, i) => Math.floor(i * step)))
  const filler = others.filter((_, at) => chosen.has(at))
  const tools = [...own, ...needed, ...filler]
  const known = new Set(tools.map(nameOf))
  const unknown = [...wanted].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`No such tools: ${unknown.join(', ')}`)
  return { tools, queries }
}

function publicSet(path: string): ToolSet {
  const { tools, queries }: PublicSet = JSON.parse(readFileSync(path, 'utf8'))
  return { queries, tools: tools.map((tool) => ({ readOnly: false, ...tool })) }
}

/** A query with several right answers is right with any one of them, unless it says `all`. */
function measureQuality(tools: ToolIndex, queries: readonly Query[]) {
  const sums = { recallAt1: 0, recallAt5: 0, mrr: 0, tokens: 0 }
  const misses: { query: string; wanted: string; got: string }[] = []
  for (const { query, tools: wanted, all = false } of queries) {
    const names = tools.search(query, { limit: 20, accept }).map(({ tool }) => nameOf(tool))
    const recall = (k: number) => {
      const found = wanted.filter((name) => names.slice(0, k).includes(name)).length
      return all ? found / wanted.length : Math.min(1, found)
    }
    sums.recallAt1 += recall(1)
    sums.recallAt5 += recall(5)
    const first = names.findIndex((name) => wanted.includes(name))
    sums.mrr += first < 0 ? 0 : 1 / (first + 1)
    sums.tokens += countTokens(
      JSON.stringify(searchTools(tools, { queries: [query], permits: accept })),
    )
    if (recall(5) === 0 && !all)
      misses.push({ query, wanted: wanted.join(' or '), got: names.slice(0, 3).join(', ') })
  }
  const count = queries.length
  return {
    recallAt1: sums.recallAt1 / count,
    recallAt5: sums.recallAt5 / count,
    mrr: sums.mrr / count,
    tokens: sums.tokens / count,
    misses,
  }
}

function manyTools(tools: readonly Tool[]): Tool[] {
  const more = ['ghec', 'ghes-3.17', 'ghes-3.18'].flatMap((name) => specTools(readSpec(name), name))
  return [...tools, ...more].slice(0, LARGE)
}

function measureLatency(tools: readonly Tool[], queries: readonly Query[]) {
  const large = new ToolIndex()
  const started = performance.now()
  large.update(tools)
  const indexMs = performance.now() - started
  const times: number[] = []
  const cpuTimes: number[] = []
  for (let pass = 0; pass < 4; pass++) {
    for (const { query } of queries) {
      const before = performance.now()
      const cpu = process.cpuUsage()
      searchTools(large, { queries: [query], permits: accept })
      const { user, system } = process.cpuUsage(cpu)
      // The first pass warms the code up.
      if (pass === 0) continue
      times.push(performance.now() - before)
      cpuTimes.push((user + system) / 1000)
    }
  }
  return {
    tools: tools.length,
    indexMs,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    p95CpuMs: quantile(cpuTimes, 0.95),
  }
}

function nameOf({ server, name }: Tool): string {
  return `${server}.${name}`
}
