/**
 * What exported traces and metrics cost a call: the chain with `trace` and `hop` and the reader that
 * encodes spans, against the chain without, interleaved in one process, over an upstream that answers at
 * once. Batches go to a collector in the same process, so that sending them is counted too.
 */
import { createServer } from 'node:http'
import { audit } from '../build/gateway/layers/audit.js'
import { dispatch } from '../build/gateway/layers/dispatch.js'
import { hop, trace } from '../build/gateway/layers/trace.js'
import { Pipeline } from '../build/gateway/pipeline.js'
import { Canceller } from '../build/base/signal.js'
import { openOtlp } from '../build/telemetry/otlp/open-otlp.js'
import { readOtlpSettings } from '../build/telemetry/otlp/otlp-settings.js'

const CALLS = 20_000
const ROUNDS = 9

let received = 0
const collector = createServer((request, response) => {
  request.on('data', (chunk) => (received += chunk.length))
  request.on('end', () => response.end('{}'))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => collector.once('listening', resolve))
const endpoint = `http://127.0.0.1:${collector.address().port}`

const answer = { content: [{ type: 'text', text: 'hello' }] }
const upstream = { name: 'echo', kind: 'stdio', request: async () => answer }
const tool = { server: 'echo', name: 'echo', readOnly: true, definition: { name: 'echo' } }
const client = { session: '', era: 'modern', capabilities: {}, headers: {}, notify() {} }
let count = 0

function aCall() {
  count += 1
  return {
    operation: 'tools/call',
    address: { kind: 'tool', server: 'echo', tool: 'echo' },
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hello' } },
    caller: {},
    client,
    options: {},
    signal: new Canceller(),
    event: { id: `bench-${count}`, startedAt: Date.now(), operation: 'tools/call', agent: 'ada' },
    agent: { id: 'ada', proof: 'key' },
    upstream,
    tool,
    grant: { rule: 'all' },
  }
}

const quiet = { record() {} }
const chain = (tracing, ledger) =>
  Pipeline.for().through(trace(tracing)).through(audit(ledger)).through(hop(tracing)).to(dispatch())

function open(sampler) {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  return openOtlp(readOtlpSettings(env), { warn: console.error })
}

const all = open('always_on')
const none = open('always_off')
const cases = {
  off: chain(undefined, quiet),
  sampled: chain(all.tracing, all),
  unsampled: chain(none.tracing, none),
}

async function cpuUs(handler) {
  const begun = process.cpuUsage()
  for (let n = 0; n < CALLS; n += 1) {
    await handler(aCall())
    // Room for the batches to go: a queue that is full drops spans, which costs nothing.
    if (n % 250 === 249) await new Promise((resolve) => setTimeout(resolve, 3))
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

const costs = { off: [], sampled: [], unsampled: [] }
for (const name of Object.keys(cases)) await cpuUs(cases[name])
for (let round = 0; round < ROUNDS; round += 1)
  for (const name of Object.keys(cases)) costs[name].push(await cpuUs(cases[name]))
await all.close()
await none.close()
collector.close()

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const extra = (name) =>
  Math.round(median(costs[name].map((us, n) => us - costs.off[n])) * 100) / 100
const result = {
  sampledUs: extra('sampled'),
  unsampledUs: extra('unsampled'),
  bytesPerCall: Math.round(received / ((ROUNDS + 1) * CALLS)),
  dropped: all.dropped,
}
console.log(
  `every call traced: ${result.sampledUs} µs of CPU more, ${result.bytesPerCall} bytes sent, collector included; left out by the sampler: ${result.unsampledUs} µs`,
)
console.log(`RESULT ${JSON.stringify(result)}`)
