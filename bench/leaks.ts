/**
 * Makes 50,000 calls, some of them faulty, through a gateway in front of each kind of upstream, and
 * measures its memory. A leak of 1 KB per call is visible.
 *
 *   npm run bench -- leaks [--calls 50000] [--concurrency 32] [--portolan "node dist/cli/main.js"]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { stdioUpstream } from '../test/support/start.ts'
import { rssMb, startGateway, startHttpServer, toCommand } from './load/processes.ts'
import { Session, load } from './load/session.ts'
import { round } from './support/numbers.ts'

interface Sample {
  readonly calls: number
  readonly mb: number
}

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '50000' },
    concurrency: { type: 'string', default: '32' },
    portolan: { type: 'string', default: 'node dist/cli/main.js' },
  },
})
const command = toCommand(options.portolan)
const BLOCKS = 25
const calls = Math.round(Number(options.calls) / BLOCKS)

/** Failed, refused, large and abandoned calls, which must leave nothing in memory. */
const FAULTS = [
  { name: 'fail' },
  { name: 'rpc_error' },
  { name: 'no_such_tool' },
  { name: 'big', arguments: { bytes: 1_000_000 } },
  { name: 'slow', arguments: { ms: 50 }, _meta: { progressToken: 'p' } },
]

const http = await startHttpServer('--era', 'both')
const gateways = {
  stdio: await startGateway(command, { echo: stdioUpstream() }),
  http: await startGateway(command, { echo: { url: http.url } }),
}

async function faults(url: string): Promise<void> {
  const session = new Session(url, 'modern')
  await session.open()
  for (const fault of FAULTS) await session.request('tools/call', fault)
  // A client that goes away in the middle of its call.
  void session.request('tools/call', { name: 'hang' }).catch(() => {})
  await sleep(20)
  session.close()
}

/** Returns megabytes per 1,000 calls, by least squares over the second half, with warm caches. */
function slope(samples: readonly Sample[]): number {
  const half = samples.slice(Math.floor(samples.length / 2))
  const mean = (pick: (sample: Sample) => number) =>
    half.reduce((sum, sample) => sum + pick(sample), 0) / half.length
  const [x, y] = [mean((s) => s.calls), mean((s) => s.mb)]
  const above = half.reduce((sum, s) => sum + (s.calls - x) * (s.mb - y), 0)
  const below = half.reduce((sum, s) => sum + (s.calls - x) ** 2, 0)
  return (above / below) * 1_000
}

/** Compares the minimum of the last quarter with that of the second, so garbage does not count. */
function growth(samples: readonly Sample[]): number {
  const quarter = Math.floor(samples.length / 4)
  const least = (from: number) =>
    Math.min(...samples.slice(from, from + quarter).map(({ mb }) => mb))
  return least(samples.length - quarter) - least(quarter)
}

/** Either alone may be a heap that has not reached its size yet; both together are a leak. */
const MAX_GROWTH_MB = 20
const MAX_SLOPE = 0.5
const report: Record<string, number | undefined> = {}
let flat = true
for (const [name, gateway] of Object.entries(gateways)) {
  const session = new Session(gateway.url, 'modern')
  await session.open()
  const samples: Sample[] = []
  for (let n = 1; n <= BLOCKS; n++) {
    await load(session, Number(options.concurrency), calls)
    await faults(gateway.url)
    samples.push({ calls: n * calls, mb: rssMb(gateway.pid) })
  }
  session.close()
  await gateway.stop()
  gateway.discard()
  const megabytes = samples.map(({ mb }) => Math.round(mb))
  console.log(`${name}: RSS MB after each ${calls} calls: ${megabytes.join(' ')}`)
  const slopeMb = round(slope(samples), 3)
  const growthMb = round(growth(samples), 1)
  flat &&= growthMb <= MAX_GROWTH_MB || slopeMb <= MAX_SLOPE
  report[`${name}SlopeMbPer1000`] = slopeMb
  report[`${name}GrowthMb`] = growthMb
  report[`${name}FirstMb`] = megabytes[0]
  report[`${name}LastMb`] = megabytes.at(-1)
}
await http.stop()
console.log(`RESULT ${JSON.stringify({ callsEach: calls * BLOCKS, flat, ...report })}`)
process.exit(flat ? 0 : 1)
