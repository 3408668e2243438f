import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '../../src/storage/storage.ts'
import { openCommunity } from '../../src/builtins/traces/community/open-community.ts'
import { type Client, register, settings } from './client.ts'
import { aQuery, random, synthetic } from './corpus.ts'
import { round } from './round.ts'

const SEARCH_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 15)
const WRITE_SECONDS = 10

export interface Measured {
  /** `p99Ms` is for agents that pause between searches, the others for clients that do not. */
  readonly p99Ms: number
  readonly p99MsOf20: number
  readonly p99MsOf200: number
  readonly writesPerSecond: number
  /** The memory of the process with the service and its clients, at the end and at its peak. */
  readonly rssMb: number
  readonly peakRssMb: number
}

/** Measures search and writes in a storage, in another process than the one that filled it. */
export async function measure(name: string, storage: Storage): Promise<Measured> {
  const traces = openCommunity({ storage, settings })
  const indexing = performance.now()
  await traces.deps.index.sync()
  console.log(`${name}: index built in ${round((performance.now() - indexing) / 1000)} s`)
  const client = await register(traces)
  const rows = await storage.db.selectFrom('traces').select('title').execute()
  const titles = rows.map(({ title }) => title)
  const users = await search(client, titles, { clients: 20, pauseMs: 300 })
  console.log(`${name}: 20 agents that pause 300 ms between searches: ${describe(users)}`)
  const busy: Record<number, Times> = {}
  for (const clients of [1, 20, 200]) {
    busy[clients] = await search(client, titles, { clients, pauseMs: 0 })
    console.log(`${name}: ${clients} client(s) without a pause: ${describe(busy[clients])}`)
  }
  const writesPerSecond = await write(client)
  const measured = {
    p99Ms: p99(users),
    p99MsOf20: p99(busy[20]),
    p99MsOf200: p99(busy[200]),
    writesPerSecond,
    rssMb: Math.round(process.memoryUsage().rss / 1e6),
    peakRssMb: Math.round((process.resourceUsage().maxRSS * 1024) / 1e6),
  }
  const { rssMb, peakRssMb } = measured
  console.log(
    `${name}: ${writesPerSecond} writes/s sustained for ${WRITE_SECONDS} s, ${rssMb} MB resident, ${peakRssMb} MB at most`,
  )
  await traces.close()
  return measured
}

interface Times {
  /** The waiting times of the clients, including the queue. */
  readonly waited: readonly number[]
  readonly perSecond: number
  readonly cpuMs: number
}

/**
 * Searches through the whole HTTP API. `pauseMs` is the pause of a client between two searches, as
 * agents make; without it, the clients saturate the service, which shows its throughput.
 */
async function search(
  client: Client,
  titles: readonly string[],
  { clients, pauseMs }: { clients: number; pauseMs: number },
): Promise<Times> {
  const next = random(clients)
  const waited: number[] = []
  const started = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - started < SEARCH_SECONDS * 1000) {
        if (pauseMs > 0) await sleep(next() * 2 * pauseMs)
        const query = aQuery(next, titles)
        const tags = next() < 0.25 ? ['python'] : []
        const sent = performance.now()
        const response = await client.post('/traces/search', { q: query, tags })
        if (response.status !== 200) throw new Error(`Search answered ${response.status}`)
        await response.arrayBuffer()
        waited.push(performance.now() - sent)
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  const elapsed = performance.now() - started
  return {
    waited,
    perSecond: Math.round(waited.length / (elapsed / 1000)),
    cpuMs: (user + system) / 1000 / waited.length,
  }
}

async function write(client: Client): Promise<number> {
  const next = random(99)
  const until = performance.now() + WRITE_SECONDS * 1000
  let written = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (performance.now() < until) {
        const response = await client.post('/traces', synthetic(next, 10_000_000 + written))
        if (response.status !== 202)
          throw new Error(`Write answered ${response.status}: ${await response.text()}`)
        written += 1
      }
    }),
  )
  return Math.round(written / WRITE_SECONDS)
}

function describe({ waited, perSecond, cpuMs }: Times): string {
  const at = (share: number): string => `${round(percentile(waited, share))} ms`
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, ${perSecond}/s, ${round(cpuMs)} ms of CPU each`
}

function p99(times: Times | undefined): number {
  return round(percentile(times?.waited ?? [], 0.99))
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
