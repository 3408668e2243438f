import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStorage } from '../src/storage/open-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { insertTraces } from '../src/storage/traces/trace-rows.ts'
import { toTrace } from '../src/traces/operations/contribute-trace.ts'
import { type Traces, openTraces } from '../src/traces/open-traces.ts'
import { bandsOf } from '../src/traces/rules/near-duplicate.ts'
import { parseTracesSettings } from '../src/traces/settings.ts'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { hashingEmbedder } from './hashing-embedder.ts'
import { aQuery, random, synthetic } from './traces-corpus.ts'

/** 100,000 traces: how fast they are found and written, in how much memory, and how well. */

const COUNT = Number(process.env['BENCH_TRACES'] ?? 100_000)
const SEARCH_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 15)
const WRITE_SECONDS = 10

const settings = {
  ...parseTracesSettings(),
  readsPerMinute: 1e9,
  writesPerMinute: 1e9,
  keysPerHour: 1e9,
}

const titles: string[] = []

interface Measured {
  readonly p99Ms: number
  readonly writesPerSecond: number
  readonly rssMb: number
}

const folder = await temporaryFolder()
const server = await startPostgres({ durable: true })
const sqlite = await measure('SQLite', await openStorage({ home: folder.path }))
const postgres = await measure(
  'PostgreSQL',
  await openStorage({ home: folder.path, databaseUrl: await createDatabase(server.url) }),
)
const quality = await measureQuality()
await server.stop()
await folder.remove()

console.log(
  `RESULT ${JSON.stringify({
    searchP99MsSqlite: sqlite.p99Ms,
    searchP99MsPostgres: postgres.p99Ms,
    writesPerSecond: Math.min(sqlite.writesPerSecond, postgres.writesPerSecond),
    rssMb: Math.max(sqlite.rssMb, postgres.rssMb),
    mrr: quality.mrr,
    recallAt10: quality.recall,
  })}`,
)

async function measure(name: string, storage: Storage): Promise<Measured> {
  const filling = performance.now()
  await fill(storage)
  console.log(`${name}: ${COUNT} traces stored in ${seconds(filling)} s`)
  // A database that has grown over months has statistics; one filled a moment ago has none yet.
  await sql`analyze`.execute(storage.db)
  const traces = openTraces({ storage, settings })
  const indexing = performance.now()
  await traces.deps.index.sync()
  console.log(`${name}: index built in ${seconds(indexing)} s`)
  const { key } = await register(traces)
  const users = await search(traces, key, { clients: 20, pauseMs: 300 })
  console.log(`${name}: 20 agents that pause 300 ms between searches: ${describe(users)}`)
  for (const clients of [1, 20, 200]) {
    const times = await search(traces, key, { clients, pauseMs: 0 })
    console.log(`${name}: ${clients} client(s) without a pause: ${describe(times)}`)
  }
  const p99Ms = round(percentile(users.waited, 0.99))
  const writesPerSecond = await write(traces, key)
  const rssMb = Math.round(process.memoryUsage().rss / 1e6)
  console.log(
    `${name}: ${writesPerSecond} writes/s sustained for ${WRITE_SECONDS} s, ${rssMb} MB resident`,
  )
  await traces.close()
  await storage.close()
  return { p99Ms, writesPerSecond, rssMb }
}

async function fill(storage: Storage): Promise<void> {
  const next = random(1)
  const now = Date.now()
  await storage.db
    .insertInto('accounts')
    .values({ id: 'bench', key_hash: 'bench', created_at: now, updated_at: now })
    .execute()
  for (let start = 0; start < COUNT; start += 500) {
    const batch = Array.from({ length: Math.min(500, COUNT - start) }, (_, offset) => {
      const request = synthetic(next, start + offset)
      titles[start + offset] = request.title
      return {
        trace: toTrace({ settings, now: Date.now }, { id: 'bench' }, request, request.tags),
        tags: request.tags,
        bands: bandsOf(request),
      }
    })
    await storage.transaction(async (tx) => insertTraces(tx, batch))
  }
}

interface Times {
  /** What each client waited, the queue of the others included. */
  readonly waited: readonly number[]
  readonly perSecond: number
}

/**
 * Searches through the whole HTTP API. `pauseMs` is what a client does between two of them, as an agent
 * does; with none, the clients together saturate the service, which shows its throughput.
 */
async function search(
  traces: Traces,
  key: string,
  { clients, pauseMs }: { clients: number; pauseMs: number },
): Promise<Times> {
  const next = random(clients)
  const waited: number[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - started < SEARCH_SECONDS * 1000) {
        if (pauseMs > 0) await sleep(next() * 2 * pauseMs)
        const query = aQuery(next, titles)
        const tags = next() < 0.25 ? ['python'] : []
        const sent = performance.now()
        const response = await post(traces, key, '/traces/search', {
          q: query,
          tags,
        })
        if (response.status !== 200) throw new Error(`Search answered ${response.status}`)
        await response.arrayBuffer()
        waited.push(performance.now() - sent)
      }
    }),
  )
  const elapsed = performance.now() - started
  return { waited, perSecond: Math.round(waited.length / (elapsed / 1000)) }
}

async function write(traces: Traces, key: string): Promise<number> {
  const next = random(99)
  const until = performance.now() + WRITE_SECONDS * 1000
  let written = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (performance.now() < until) {
        const response = await post(traces, key, '/traces', synthetic(next, 10_000_000 + written))
        if (response.status !== 202)
          throw new Error(`Write answered ${response.status}: ${await response.text()}`)
        written += 1
      }
    }),
  )
  return Math.round(written / WRITE_SECONDS)
}

/** The starter set among 5,000 others; every query has one right answer. */
async function measureQuality(): Promise<{ mrr: number; recall: number }> {
  const queries: { query: string; title: string }[] = JSON.parse(
    await readFile(new URL('traces-queries.json', import.meta.url), 'utf8'),
  )
  const starter: { title: string; tags: string[]; context_text: string; solution_text: string }[] =
    JSON.parse(await readFile(new URL('../data/starter-traces.json', import.meta.url), 'utf8'))
  const results = { mrr: 0, recall: 0 }
  for (const embedder of [undefined, hashingEmbedder()]) {
    const home = await temporaryFolder()
    const storage = await openStorage({ home: home.path })
    const traces = openTraces({ storage, settings, ...(embedder && { embedder }) })
    const { key, id } = await register(traces)
    const next = random(5)
    for (const trace of starter) await post(traces, key, '/traces', trace)
    for (let n = 0; n < 5_000; n += 500)
      await storage.transaction(async (tx) =>
        insertTraces(
          tx,
          Array.from({ length: 500 }, (_, offset) => {
            const request = synthetic(next, n + offset)
            return {
              trace: toTrace({ settings, now: Date.now }, { id }, request, request.tags),
              tags: request.tags,
              bands: bandsOf(request),
            }
          }),
        ),
      )
    while ((await traces.embed()) > 0);
    await traces.deps.index.sync()
    let [sum, hits] = [0, 0]
    for (const { query, title } of queries) {
      const found = await answerOf<{ results: { title: string }[] }>(
        await post(traces, key, '/traces/search', { q: query }),
      )
      const place = found.results.findIndex((trace) => trace.title === title)
      if (place >= 0) {
        sum += 1 / (place + 1)
        hits += 1
      } else if (process.env['BENCH_MISSES']) console.log(`missed: ${query}`)
    }
    const [mrr, recall] = [round(sum / queries.length, 3), round(hits / queries.length, 3)]
    console.log(
      `quality, ${embedder ? embedder.identity : 'no embedder'}: MRR ${mrr}, recall@10 ${recall} over ${queries.length} queries`,
    )
    if (!embedder) Object.assign(results, { mrr, recall })
    await traces.close()
    await storage.close()
    await home.remove()
  }
  return results
}

async function answerOf<Body>(response: Response): Promise<Body> {
  const body: Body = JSON.parse(await response.text())
  return body
}

async function register(traces: Traces): Promise<{ key: string; id: string }> {
  const response = await traces.fetch(
    new Request('http://bench/api/v1/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `bench-${Math.random()}@example.com` }),
    }),
  )
  const { api_key, user_id } = await answerOf<{ api_key: string; user_id: string }>(response)
  return { key: api_key, id: user_id }
}

async function post(traces: Traces, key: string, path: string, body: unknown): Promise<Response> {
  return traces.fetch(
    new Request(`http://bench/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify(body),
    }),
  )
}

function describe({ waited, perSecond }: Times): string {
  const at = (share: number): string => `${round(percentile(waited, share))} ms`
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, ${perSecond}/s`
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function seconds(since: number): number {
  return round((performance.now() - since) / 1000)
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
