/**
 * 50,000 calls through a gateway in front of each kind of upstream, with faults among them, and the
 * memory it holds afterwards. A leak of 1 KB a call shows.
 *
 *   node bench/soak.mjs [--calls 50000] [--concurrency 32] [--portolan "node dist/cli/main.js"]
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { round } from './load/numbers.mjs'
import { rssMb, startGateway, startHttpServer, stdioServer } from './load/processes.mjs'
import { Session, load } from './load/session.mjs'

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '50000' },
    concurrency: { type: 'string', default: '32' },
    portolan: { type: 'string', default: 'node dist/cli/main.js' },
  },
})
const command = options.portolan
  .split(' ')
  .map((part) => (/\.m?js$/.test(part) ? resolve(part) : part))
const BLOCKS = 25
const calls = Math.round(Number(options.calls) / BLOCKS)

/** What must leave nothing behind: failed, refused, big and abandoned calls. */
const FAULTS = [
  { name: 'fail' },
  { name: 'rpc_error' },
  { name: 'no_such_tool' },
  { name: 'big', arguments: { bytes: 1_000_000 } },
  { name: 'slow', arguments: { ms: 50 }, _meta: { progressToken: 'p' } },
]

const http = await startHttpServer('--era', 'both')
const gateways = {
  stdio: await startGateway(command, { echo: stdioServer() }),
  http: await startGateway(command, { echo: { url: http.url } }),
}

async function faults(url) {
  const session = new Session(url, 'modern')
  await session.open()
  for (const fault of FAULTS) await session.request('tools/call', fault)
  // A client that goes away in the middle of its call.
  void session.request('tools/call', { name: 'hang' }).catch(() => {})
  await new Promise((done) => setTimeout(done, 20))
  session.close()
}

/** Megabytes per 1,000 calls, by least squares over the second half, when caches are warm. */
function slope(samples) {
  const half = samples.slice(Math.floor(samples.length / 2))
  const mean = (pick) => half.reduce((sum, sample) => sum + pick(sample), 0) / half.length
  const [x, y] = [mean((s) => s.calls), mean((s) => s.mb)]
  const above = half.reduce((sum, s) => sum + (s.calls - x) * (s.mb - y), 0)
  const below = half.reduce((sum, s) => sum + (s.calls - x) ** 2, 0)
  return (above / below) * 1_000
}

/** The least memory held in the last quarter against that in the second: garbage not yet collected does not count. */
function growth(samples) {
  const quarter = Math.floor(samples.length / 4)
  const least = (from) => Math.min(...samples.slice(from, from + quarter).map(({ mb }) => mb))
  return least(samples.length - quarter) - least(quarter)
}

/** Either alone may be the heap finding its size; together they are a leak. */
const MOST_GROWTH_MB = 20
const MOST_SLOPE = 0.5
const report = {}
for (const [name, gateway] of Object.entries(gateways)) {
  const session = new Session(gateway.url, 'modern')
  await session.open()
  const samples = []
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
  report[`${name}SlopeMbPer1000`] = round(slope(samples), 3)
  report[`${name}GrowthMb`] = round(growth(samples), 1)
  report[`${name}FirstMb`] = megabytes[0]
  report[`${name}LastMb`] = megabytes.at(-1)
}
await http.stop()
const flat = ['stdio', 'http'].every(
  (name) =>
    report[`${name}GrowthMb`] <= MOST_GROWTH_MB || report[`${name}SlopeMbPer1000`] <= MOST_SLOPE,
)
console.log(`RESULT ${JSON.stringify({ callsEach: calls * BLOCKS, flat, ...report })}`)
process.exit(flat ? 0 : 1)
