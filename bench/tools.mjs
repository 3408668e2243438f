// How well find_tools finds: `npm run bench:tools`. Hand-written queries over tools of real servers
// and a real spec; latency at 4,000 tools. `--set FILE` measures a public set given as
// { tools: [{ server, name, definition }], queries: [{ query, tools: ["server.name"] }] } instead.
import { readFileSync } from 'node:fs'
import { searchTools } from '../build/surfaces/tool-search/search-tools.js'
import { ToolIndex } from '../build/surfaces/tool-search/tool-index.js'
import { countTokens } from '../build/shaping/tokens.js'
import { readSpec, serverTools, specTools } from './support/real-tools.mjs'

const SIZE = 500
const LARGE = 4000
const accept = () => true

const setFile = process.argv[process.argv.indexOf('--set') + 1]
const set = process.argv.includes('--set') ? publicSet(setFile) : await ownSet()

const index = new ToolIndex()
index.update(set.tools)
const quality = measureQuality(index, set.queries)
console.log(`${set.tools.length} tools, ${set.queries.length} queries`)
for (const miss of quality.misses) {
  console.log(`  missed: "${miss.query}" wanted ${miss.wanted}, got ${miss.got}`)
}
const latency = measureLatency(await manyTools(set.tools), set.queries)
console.log(
  'RESULT ' +
    JSON.stringify({
      recallAt5: round(quality.recallAt5),
      mrr: round(quality.mrr),
      tokensPerAnswer: Math.round(quality.tokens),
      p95Ms: round(latency.p95Ms),
      recallAt1: round(quality.recallAt1),
      p50Ms: round(latency.p50Ms),
      // In processor time, which other programs on the machine do not change.
      p95CpuMs: round(latency.p95CpuMs),
      toolsAtLatency: latency.tools,
      indexMs: Math.round(latency.indexMs),
    }),
)

async function ownSet() {
  const file = new URL('data/tool-queries.json', import.meta.url)
  const queries = JSON.parse(readFileSync(file, 'utf8'))
  const wanted = new Set(queries.flatMap(({ tools }) => tools))
  const own = await serverTools()
  const operations = specTools(readSpec(), 'github-api')
  const needed = operations.filter((tool) => wanted.has(nameOf(tool)))
  const others = operations.filter((tool) => !wanted.has(nameOf(tool)))
  const room = SIZE - own.length - needed.length
  const step = others.length / room
  const filler = Array.from({ length: room }, (_, i) => others[Math.floor(i * step)])
  const tools = [...own, ...needed, ...filler]
  const known = new Set(tools.map(nameOf))
  const unknown = [...wanted].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`No such tools: ${unknown.join(', ')}`)
  return { tools, queries }
}

function publicSet(path) {
  const { tools, queries } = JSON.parse(readFileSync(path, 'utf8'))
  return { queries, tools: tools.map((tool) => ({ readOnly: false, ...tool })) }
}

/** A query with several right answers is right with any one of them, unless it says `all`. */
function measureQuality(tools, queries) {
  const sums = { recallAt1: 0, recallAt5: 0, mrr: 0, tokens: 0 }
  const misses = []
  for (const { query, tools: wanted, all } of queries) {
    const names = tools.search(query, { limit: 20, accept }).map(({ tool }) => nameOf(tool))
    const recall = (k) => {
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
  const mean = Object.fromEntries(
    Object.entries(sums).map(([key, sum]) => [key, sum / queries.length]),
  )
  return { ...mean, misses }
}

async function manyTools(tools) {
  const more = ['ghec', 'ghes-3.17', 'ghes-3.18'].flatMap((name) => specTools(readSpec(name), name))
  return [...tools, ...more].slice(0, LARGE)
}

function measureLatency(tools, queries) {
  const large = new ToolIndex()
  const started = performance.now()
  large.update(tools)
  const indexMs = performance.now() - started
  const times = []
  const cpuTimes = []
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
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    p95CpuMs: percentile(cpuTimes, 0.95),
  }
}

function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]
}

function nameOf({ server, name }) {
  return `${server}.${name}`
}

function round(value) {
  return Math.round(value * 1000) / 1000
}
