/**
 * What a call through Portolan costs, against the same call without it and through the least a
 * gateway can do. All targets run at once and take turns block by block, so that whatever else the
 * machine does falls on all of them alike.
 *
 *   node bench/gateway.mjs [--era modern|legacy] [--rounds 8] [--calls 600] [--portolan "node dist/cli/main.js"]
 */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { median, quantile, round, table } from './load/numbers.mjs'
import { cpuSeconds, rssMb, startGateway, startHttpServer, stdioServer } from './load/processes.mjs'
import { Session, load } from './load/session.mjs'

const { values: options } = parseArgs({
  options: {
    era: { type: 'string', default: 'modern' },
    rounds: { type: 'string', default: '8' },
    calls: { type: 'string', default: '600' },
    portolan: { type: 'string', default: 'node dist/cli/main.js' },
  },
})
const toCommand = (text) =>
  text.split(' ').map((part) => (/\.m?js$/.test(part) ? resolve(part) : part))
const PORTOLAN = toCommand(options.portolan)
const PASSTHROUGH = toCommand('node bench/passthrough.mjs')
const CONCURRENCIES = [1, 8, 32, 64]

class Target {
  constructor(name, gateway) {
    this.name = name
    this.gateway = gateway
    this.session = new Session(gateway.url, options.era)
    this.blocks = new Map(
      CONCURRENCIES.map((c) => [c, { latencies: [], rps: [], cpu: 0, calls: 0 }]),
    )
    this.calls = 0
    this.peakMb = 0
  }

  /** An upstream may still be starting: tries until the first echo comes back. */
  async open() {
    await this.session.open()
    const giveUp = performance.now() + 15_000
    for (;;) {
      this.calls++
      try {
        return await this.session.echo()
      } catch (error) {
        if (performance.now() > giveUp) throw error
        await new Promise((done) => setTimeout(done, 100))
      }
    }
  }

  async block(concurrency, calls) {
    const before = cpuSeconds(this.gateway.pid)
    const { latencies, elapsedMs } = await load(this.session, concurrency, calls)
    this.calls += calls
    this.peakMb = Math.max(this.peakMb, rssMb(this.gateway.pid))
    return { latencies, elapsedMs, cpu: cpuSeconds(this.gateway.pid) - before }
  }

  async measure(concurrency, calls) {
    const { latencies, elapsedMs, cpu } = await this.block(concurrency, calls)
    const block = this.blocks.get(concurrency)
    block.latencies.push(...latencies)
    block.rps.push((calls / elapsedMs) * 1_000)
    block.cpu += cpu
    block.calls += calls
  }

  /** CPU microseconds per call, over all blocks. */
  get cpuUs() {
    const blocks = [...this.blocks.values()]
    const sum = (key) => blocks.reduce((total, block) => total + block[key], 0)
    return (sum('cpu') / sum('calls')) * 1e6
  }

  row() {
    const cells = CONCURRENCIES.flatMap((c) => {
      const { latencies, rps } = this.blocks.get(c)
      const p = (q) => round(quantile(latencies, q))
      return [`${p(0.5)} / ${p(0.95)}`, Math.round(median(rps))]
    })
    const each = CONCURRENCIES.map((c) => this.blocks.get(c)).map(({ cpu, calls }) =>
      Math.round((cpu / calls) * 1e6),
    )
    return [
      this.name,
      ...cells,
      `${Math.round(this.cpuUs)} (${each.join(' ')})`,
      Math.round(this.peakMb),
    ]
  }
}

async function firstAnswer(command, servers, flags) {
  const gateway = await startGateway(command, servers, flags)
  const session = new Session(gateway.url, options.era)
  await session.open()
  const { result } = await session.json('tools/list')
  const startMs = performance.now() - gateway.begun
  await new Promise((done) => setTimeout(done, 1_500))
  const idleMb = rssMb(gateway.pid)
  session.close()
  await gateway.stop()
  gateway.discard()
  return { startMs, idleMb, tools: result.tools }
}

const http = await startHttpServer('--era', 'both')
const behind = { stdio: { echo: stdioServer() }, http: { echo: { url: http.url } } }

const starts = []
for (let n = 0; n < 5; n++) starts.push(await firstAnswer(PORTOLAN, behind.stdio, []))
const discoverTokens = encode(JSON.stringify(starts[0].tools)).length
const startMs = median(starts.map((start) => start.startMs))
const idleRssMb = median(starts.map((start) => start.idleMb))

const targets = {
  direct: new Target('direct (HTTP)', http),
  passStdio: new Target('pass-through → stdio', await startGateway(PASSTHROUGH, behind.stdio)),
  portolanStdio: new Target('Portolan → stdio', await startGateway(PORTOLAN, behind.stdio)),
  passHttp: new Target('pass-through → HTTP', await startGateway(PASSTHROUGH, behind.http)),
  portolanHttp: new Target('Portolan → HTTP', await startGateway(PORTOLAN, behind.http)),
}
const all = Object.values(targets)

for (const target of all) await target.open()
// Enough calls for the optimising compiler to be done with all of them.
for (const target of all) await target.block(16, 6_000)
for (let n = 0; n < Number(options.rounds); n++)
  for (const concurrency of CONCURRENCIES)
    for (const target of all)
      await target.measure(
        concurrency,
        concurrency === 1 ? options.calls / 3 : Number(options.calls),
      )

for (const { session } of all) session.close()
const audited = {}
for (const name of ['portolanStdio', 'portolanHttp']) {
  await targets[name].gateway.stop()
  audited[name] = targets[name].gateway.audited()
}
for (const { gateway } of all) {
  await gateway.stop()
  gateway.discard?.()
}

const header = CONCURRENCIES.flatMap((c) => [`p50 / p95 ms @${c}`, `calls/s @${c}`])
console.log(
  table(
    ['path', ...header, 'CPU µs/call (@1 8 32 64)', 'peak RSS MB'],
    all.map((t) => t.row()),
  ),
)
console.log(
  `\n${options.era} era; start to first answer ${Math.round(startMs)} ms (best ${Math.round(Math.min(...starts.map((start) => start.startMs)))}); idle ${Math.round(idleRssMb)} MB; ` +
    `discover tools/list ${discoverTokens} tokens (${starts[0].tools.length} tools)`,
)
for (const [name, lines] of Object.entries(audited))
  console.log(`${name}: ${targets[name].calls} calls, ${lines ?? 'no'} audit lines`)

const p50 = (target) => quantile(target.blocks.get(1).latencies, 0.5)
const rps = (target) => Math.round(median(target.blocks.get(32).rps))
const { direct, passStdio, portolanStdio, passHttp, portolanHttp } = targets
console.log(
  `RESULT ${JSON.stringify({
    cpuRatioStdio: round(portolanStdio.cpuUs / passStdio.cpuUs),
    cpuRatioHttp: round(portolanHttp.cpuUs / passHttp.cpuUs),
    rpsStdio: rps(portolanStdio),
    rpsHttp: rps(portolanHttp),
    p50OverheadMs: round(p50(portolanHttp) - p50(direct), 3),
    startMs: Math.round(startMs),
    idleRssMb: Math.round(idleRssMb),
    discoverTokens,
  })}`,
)
process.exit(0)
