/**
 * Measures what a call through Portolan costs, compared with a direct call and with a minimal
 * pass-through gateway. All targets run at once and alternate block by block, so that other load on
 * the machine affects all of them equally.
 *
 *   npm run bench:gateway -- [--era modern|legacy] [--rounds 8] [--calls 600] [--portolan "node dist/cli/main.js"] [--before "node …/dist/cli/main.js"]
 *
 * `--before` alternates with another build, and prints how this one compares to it.
 */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { list, object } from '../src/upstreams/openapi/spec/read-values.ts'
import { stdioUpstream } from '../test/support/start.ts'
import {
  type Servers,
  type StartedServer,
  cpuSeconds,
  firstInitialize,
  rssMb,
  startGateway,
  startHttpServer,
  toCommand,
} from './load/processes.ts'
import { type Era, Session, load } from './load/session.ts'
import { median, quantile, round, table } from './support/numbers.ts'

const { values: options } = parseArgs({
  options: {
    era: { type: 'string', default: 'modern' },
    rounds: { type: 'string', default: '8' },
    calls: { type: 'string', default: '600' },
    portolan: { type: 'string', default: 'node dist/cli/main.js' },
    before: { type: 'string' },
  },
})
const era = toEra(options.era)
const calls = Number(options.calls)
const PORTOLAN = toCommand(options.portolan)
const BEFORE = options.before === undefined ? undefined : toCommand(options.before)
const PASSTHROUGH = toCommand('node bench/passthrough.mjs')
const CONCURRENCIES = [1, 8, 32, 64]

interface Block {
  latencies: number[]
  rps: number[]
  cpu: number
  calls: number
}

class Target {
  readonly name: string
  readonly server: StartedServer
  readonly session: Session
  /** The measurements at each concurrency. */
  readonly #blocks = new Map<number, Block>()
  calls = 0
  #peakMb = 0

  constructor(name: string, server: StartedServer) {
    this.name = name
    this.server = server
    this.session = new Session(server.url, era)
  }

  /** Retries until the first echo succeeds, because an upstream may still be starting. */
  async open(): Promise<void> {
    await this.session.open()
    const giveUp = performance.now() + 15_000
    for (;;) {
      this.calls++
      try {
        return await this.session.echo()
      } catch (error) {
        if (performance.now() > giveUp) throw error
        await sleep(100)
      }
    }
  }

  async load(concurrency: number, count: number) {
    const before = cpuSeconds(this.server.pid)
    const { latencies, elapsedMs } = await load(this.session, concurrency, count)
    this.calls += count
    this.#peakMb = Math.max(this.#peakMb, rssMb(this.server.pid))
    return { latencies, elapsedMs, cpu: cpuSeconds(this.server.pid) - before }
  }

  async measure(concurrency: number, count: number): Promise<void> {
    const { latencies, elapsedMs, cpu } = await this.load(concurrency, count)
    const block = this.block(concurrency)
    block.latencies.push(...latencies)
    block.rps.push((count / elapsedMs) * 1_000)
    block.cpu += cpu
    block.calls += count
  }

  block(concurrency: number): Block {
    const known = this.#blocks.get(concurrency)
    if (known) return known
    const block: Block = { latencies: [], rps: [], cpu: 0, calls: 0 }
    this.#blocks.set(concurrency, block)
    return block
  }

  /** CPU microseconds per call, over all blocks. */
  get cpuUs(): number {
    const blocks = [...this.#blocks.values()]
    const sum = (key: 'cpu' | 'calls') => blocks.reduce((total, block) => total + block[key], 0)
    return (sum('cpu') / sum('calls')) * 1e6
  }

  row(): (string | number)[] {
    const blocks = CONCURRENCIES.map((concurrency) => this.block(concurrency))
    const cells = blocks.flatMap(({ latencies, rps }) => {
      const p = (q: number) => round(quantile(latencies, q))
      return [`${p(0.5)} / ${p(0.95)}`, Math.round(median(rps))]
    })
    const each = blocks.map((block) => Math.round((block.cpu / block.calls) * 1e6))
    return [
      this.name,
      ...cells,
      `${Math.round(this.cpuUs)} (${each.join(' ')})`,
      Math.round(this.#peakMb),
    ]
  }
}

function toEra(text: string): Era {
  if (text === 'modern' || text === 'legacy') return text
  throw new Error(`--era is modern or legacy, not ${text}`)
}

async function firstAnswer(command: readonly string[], servers: Servers, restMs = 1_500) {
  const gateway = await startGateway(command, servers, [])
  const session = new Session(gateway.url, era)
  await session.open()
  const { result } = await session.json('tools/list')
  const startMs = performance.now() - gateway.begun
  await sleep(restMs)
  const idleMb = rssMb(gateway.pid)
  session.close()
  await gateway.stop()
  gateway.discard()
  return { startMs, idleMb, tools: list(object(result).tools) }
}

const http = await startHttpServer('--era', 'both')
const behind = { stdio: { echo: stdioUpstream() }, http: { echo: { url: http.url } } }

const starts = []
const startsBefore = []
for (let n = 0; n < 5; n++) {
  starts.push(await firstAnswer(PORTOLAN, behind.stdio))
  if (BEFORE) startsBefore.push(await firstAnswer(BEFORE, behind.stdio))
}
const greetings = []
for (let n = 0; n < 10; n++) greetings.push(await firstInitialize(PORTOLAN, behind.stdio))
const initializeMs = median(greetings.map(({ ms }) => ms))
const initializeCpuMs = median(greetings.map(({ cpuMs }) => cpuMs))
const tools = starts[0]?.tools ?? []
/** What models are sent: clients keep `_meta` to themselves. */
const discoverTokens = encode(
  JSON.stringify(tools.map((tool) => ({ ...object(tool), _meta: undefined }))),
).length
const startTimes = starts.map((start) => start.startMs)
const startMs = median(startTimes)
const idleRssMb = median(starts.map(idleOf))
/** The watchdog's thread starts 3 s after the gateway. */
const watched = await firstAnswer(PORTOLAN, behind.stdio, 6_000)
const watchdogMb = Math.round(watched.idleMb - idleRssMb)

const gateways = {
  passStdio: await startGateway(PASSTHROUGH, behind.stdio),
  portolanStdio: await startGateway(PORTOLAN, behind.stdio),
  passHttp: await startGateway(PASSTHROUGH, behind.http),
  portolanHttp: await startGateway(PORTOLAN, behind.http),
  ...(BEFORE && {
    beforeStdio: await startGateway(BEFORE, behind.stdio),
    beforeHttp: await startGateway(BEFORE, behind.http),
  }),
}
const direct = new Target('direct (HTTP)', http)
const passStdio = new Target('pass-through → stdio', gateways.passStdio)
const portolanStdio = new Target('Portolan → stdio', gateways.portolanStdio)
const passHttp = new Target('pass-through → HTTP', gateways.passHttp)
const portolanHttp = new Target('Portolan → HTTP', gateways.portolanHttp)
const beforeStdio = gateways.beforeStdio && new Target('before → stdio', gateways.beforeStdio)
const beforeHttp = gateways.beforeHttp && new Target('before → HTTP', gateways.beforeHttp)
const all = [
  direct,
  passStdio,
  portolanStdio,
  ...(beforeStdio ? [beforeStdio] : []),
  passHttp,
  portolanHttp,
  ...(beforeHttp ? [beforeHttp] : []),
]

for (const target of all) await target.open()
// Enough calls for V8 to have optimised all of them.
for (const target of all) await target.load(16, 6_000)
for (let n = 0; n < Number(options.rounds); n++)
  for (const concurrency of CONCURRENCIES)
    for (const target of all)
      await target.measure(concurrency, concurrency === 1 ? calls / 3 : calls)

for (const { session } of all) session.close()
for (const { server } of all) await server.stop()
const audited = {
  portolanStdio: { target: portolanStdio, lines: gateways.portolanStdio.audited() },
  portolanHttp: { target: portolanHttp, lines: gateways.portolanHttp.audited() },
}
for (const gateway of Object.values(gateways)) gateway.discard()

const header = CONCURRENCIES.flatMap((c) => [`p50 / p95 ms @${c}`, `calls/s @${c}`])
console.log(
  table(
    ['path', ...header, 'CPU µs/call (@1 8 32 64)', 'peak RSS MB'],
    all.map((t) => t.row()),
  ),
)
console.log(
  `\n${era} era; start to first answer ${Math.round(startMs)} ms (best ${Math.round(Math.min(...startTimes))}); idle ${Math.round(idleRssMb)} MB, and ${watchdogMb} for the watchdog; ` +
    `first initialize on stdio ${Math.round(initializeMs)} ms, of which ${Math.round(initializeCpuMs)} ms of work; ` +
    `discover tools/list ${discoverTokens} tokens (${tools.length} tools)`,
)
for (const [name, { target, lines }] of Object.entries(audited))
  console.log(`${name}: ${target.calls} calls, ${lines ?? 'no'} audit lines`)

/** Returns the ratios of this build to the one before; 1 means equal. */
function compared(now: Target, before: Target) {
  const ratioOf = (read: (target: Target) => number) => round(read(now) / read(before))
  return { cpu: ratioOf(({ cpuUs }) => cpuUs), p50: ratioOf(p50), rps: ratioOf(callsPerSecond) }
}

function p50(target: Target): number {
  return quantile(target.block(1).latencies, 0.5)
}

function callsPerSecond(target: Target): number {
  return Math.round(median(target.block(32).rps))
}

function idleOf(start: { readonly idleMb: number }): number {
  return start.idleMb
}

console.log(
  `RESULT ${JSON.stringify({
    cpuRatioStdio: round(portolanStdio.cpuUs / passStdio.cpuUs),
    cpuRatioHttp: round(portolanHttp.cpuUs / passHttp.cpuUs),
    rpsStdio: callsPerSecond(portolanStdio),
    rpsHttp: callsPerSecond(portolanHttp),
    p50OverheadMs: round(p50(portolanHttp) - p50(direct), 3),
    startMs: Math.round(startMs),
    initializeMs: Math.round(initializeMs),
    initializeCpuMs: Math.round(initializeCpuMs),
    idleRssMb: Math.round(idleRssMb),
    watchdogMb,
    discoverTokens,
    ...(beforeStdio &&
      beforeHttp && {
        toBefore: {
          stdio: compared(portolanStdio, beforeStdio),
          http: compared(portolanHttp, beforeHttp),
          startMs: round(startMs / median(startsBefore.map((start) => start.startMs))),
          idleRssMb: round(idleRssMb / median(startsBefore.map(idleOf))),
        },
      }),
  })}`,
)
process.exit(0)
