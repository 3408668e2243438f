import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { runLoad } from './load/run-load.ts'
import { FleetClient } from '../test/support/fleet-client.ts'
import { FleetLoad } from '../test/support/fleet-load.ts'
import { type Fleet, startFleet } from '../test/support/fleet.ts'
import { measureLimit } from '../test/support/measure-limit.ts'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { startRedis } from '../test/support/redis.ts'
import { startHttpUpstream } from '../test/support/start.ts'

/**
 * Measures the cost and benefit of replicas. Everything runs on this machine, including the load,
 * Redis and PostgreSQL: on few cores more replicas share the same CPU, so the relevant figure is
 * the CPU time of a call, measured for each kind of replica in turns within one run.
 *
 *   npm run bench -- scale [--seconds 3] [--rounds 3] [--calls 3000]
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '3000' },
  },
})
const BLOCK_MS = Number(options.seconds) * 1000
const ROUNDS = Number(options.rounds)
const CALLS = Number(options.calls)
/** Calls until V8 has optimised the code. */
const WARM_UP = 1500
const LIMIT = { ratePerMinute: 240, burst: 12 }
const TICKS_PER_SECOND = 100

const undo: (() => void | Promise<void>)[] = []
const later = (step: () => void | Promise<void>) => void undo.unshift(step)

const [postgres, redis, upstream] = await Promise.all([
  startPostgres({ own: true, durable: true }),
  startRedis({ ownOnly: true }),
  startHttpUpstream('--era', 'modern'),
])
later(async () => postgres.stop())
later(async () => redis.stop())
later(async () => upstream.close())

try {
  const cost = await measureCost()
  const rps = await measureThroughput()
  const safety = await measureSafety()
  const redisCpuOverheadPct = round(100 * (cost['redis'] / cost['embedded'] - 1))
  const [rps1, rps2, rps3] = rps
  const result = { rps1, rps2, rps3, redisCpuOverheadPct, ...safety }
  console.log(`RESULT ${JSON.stringify(result)}`)
} finally {
  for (const step of undo) await step()
}

async function openFleet(count: number, env: Record<string, string>): Promise<Fleet> {
  return startFleet({
    count,
    servers: { echo: { url: upstream.url }, traces: { builtin: 'traces' } },
    // Every agent has a limit, so that every call checks it; only `limited` is ever refused.
    settings: {
      surface: 'direct',
      limits: { ratePerMinute: 100_000_000, burst: LIMIT.burst },
      agents: { limited: { ratePerMinute: LIMIT.ratePerMinute } },
    },
    env: {
      PORTOLAN_REDIS_TIMEOUT_MS: '500',
      PORTOLAN_TRACES_RATE_LIMIT_WRITE_PER_MINUTE: '100000',
      PORTOLAN_TRACES_RATE_LIMIT_READ_PER_MINUTE: '100000',
      ...env,
    },
    later,
  })
}

/** Returns CPU microseconds per call of one replica, alone and with shared services, in turns. */
async function measureCost(): Promise<Record<'embedded' | 'redis' | 'postgres' | 'both', number>> {
  const database = {
    PORTOLAN_DATABASE_URL: await createDatabase(postgres.url),
    PORTOLAN_DATABASE_POOL_SIZE: '4',
  }
  const kinds = {
    embedded: {},
    redis: { PORTOLAN_REDIS_URL: redis.url },
    postgres: database,
    both: { PORTOLAN_REDIS_URL: redis.url, ...database },
  }
  const targets = []
  for (const [kind, env] of Object.entries(kinds)) {
    const fleet = await openFleet(1, env)
    targets.push({ kind, url: directUrl(fleet), pids: pidsOf(fleet), cpu: 0, calls: 0, p50: 0 })
  }
  for (const { url } of targets) await callsOf(url, WARM_UP)
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const target of targets) {
      const before = cpuOf(target.pids)
      const { requests, p50_ms } = await callsOf(target.url, CALLS / ROUNDS)
      target.cpu += cpuOf(target.pids) - before
      target.calls += requests
      target.p50 += p50_ms / ROUNDS
    }
  const us = Object.fromEntries(targets.map(({ kind, cpu, calls }) => [kind, (cpu / calls) * 1e6]))
  console.log('CPU of one replica per call, 8 callers, all kinds in turns:')
  for (const { kind, p50, calls } of targets)
    console.log(
      `  ${kind.padEnd(9)} ${Math.round(us[kind] ?? 0)} µs, p50 ${round1(p50)} ms, ${calls} calls`,
    )
  const at = (kind: keyof typeof kinds) => us[kind] ?? NaN
  return {
    embedded: at('embedded'),
    redis: at('redis'),
    postgres: at('postgres'),
    both: at('both'),
  }
}

/** Returns the answers per second through nginx, with one, two and three replicas, in turns. */
async function measureThroughput(): Promise<number[]> {
  const env = {
    PORTOLAN_REDIS_URL: redis.url,
    PORTOLAN_DATABASE_URL: await createDatabase(postgres.url),
    PORTOLAN_DATABASE_POOL_SIZE: '4',
  }
  const targets = []
  for (const count of [1, 2, 3]) {
    const fleet = await openFleet(count, env)
    const url = `${fleet.url}/mcp`
    await callsOf(url, WARM_UP)
    targets.push({ count, url, pids: pidsOf(fleet), rates: [] as number[], cpu: 0, seconds: 0 })
  }
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const target of targets) {
      const before = cpuOf(target.pids)
      const { rps, seconds } = await loadOf(target.url, BLOCK_MS / 2, 24)
      target.rates.push(rps)
      target.cpu += cpuOf(target.pids) - before
      target.seconds += seconds
    }
  console.log('Answers a second through nginx, 24 callers, PostgreSQL and Redis shared, in turns:')
  for (const { count, rates, cpu, seconds } of targets) {
    const share = Math.round((100 * cpu) / seconds)
    const all = rates.map(Math.round).join(' ')
    console.log(
      `  ${count}: ${median(rates)} (${all}); the replicas had ${share} % of a core together`,
    )
  }
  return targets.map(({ rates }) => median(rates))
}

/** Kills a replica while clients of both eras work; then checks one limit over three replicas. */
async function measureSafety() {
  const databaseUrl = await createDatabase(postgres.url)
  const env = {
    PORTOLAN_REDIS_URL: redis.url,
    PORTOLAN_DATABASE_URL: databaseUrl,
    PORTOLAN_DATABASE_POOL_SIZE: '4',
  }
  const fleet = await openFleet(3, env)
  const url = `${fleet.url}/mcp`
  const clientOf = (agent: string, n: number) =>
    new FleetClient(n % 2 === 0 ? 'modern' : 'legacy', url, { 'x-agent-id': agent })
  const load = new FleetLoad(Array.from({ length: 6 }, (_, n) => clientOf(`agent-${n}`, n)))
  await sleep(BLOCK_MS)
  await fleet.replicas[0]?.kill()
  await sleep(BLOCK_MS)
  await fleet.replicas[0]?.start()
  await load.stop()
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const { rows } = await database.query('select id from portolan.traces where id = any($1)', [
    load.written,
  ])
  await database.end()
  const clients = Array.from({ length: 6 }, () => clientOf('limited', 0))
  const limit = await measureLimit({ ...LIMIT, clients, forMs: 8000 })
  console.log(
    `Three replicas, one killed: ${load.answers} answers, ${load.written.length} writes acknowledged, ${load.mishaps.length} calls failed, ${load.lostSessions} sessions lost`,
  )
  console.log(`A limit of ${Math.round(limit.allowed)} calls let ${limit.granted} through`)
  return {
    lostWrites: load.written.length - rows.length,
    wrongAnswers: load.wrong,
    limitErrorPct: round(Math.abs(limit.errorPct)),
  }
}

/** Makes at least this many calls: a busy machine takes longer, at a comparable cost per call. */
async function callsOf(url: string, calls: number) {
  let requests = 0
  let p50Sum = 0
  let blocks = 0
  while (requests < calls) {
    const block = await loadOf(url, 400)
    requests += block.requests
    p50Sum += block.p50_ms
    blocks += 1
  }
  return { requests, p50_ms: p50Sum / blocks }
}

async function loadOf(url: string, durationMs: number, concurrency = 8) {
  const work = {
    method: 'tools/call',
    params: { name: 'echo__echo', arguments: { text: 'hello' } },
  }
  const headers = { 'x-agent-id': 'bench' }
  const asked = { url: new URL(url), eras: ['modern'] as const, work, headers }
  return runLoad({ ...asked, concurrency, durationMs, timeoutMs: 10_000 })
}

function directUrl({ replicas }: Fleet): string {
  return `${replicas[0]?.url ?? ''}/mcp`
}

function pidsOf({ replicas }: Fleet): number[] {
  return replicas.flatMap(({ gateway }) => gateway().child.pid ?? [])
}

/** Returns the CPU seconds of processes so far. */
function cpuOf(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / TICKS_PER_SECOND
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function round1(value: number): number {
  return Math.round(value * 10) / 10
}
