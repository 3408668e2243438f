/**
 * Measures what exported traces and metrics cost a call: the chain with `trace`, `hop` and the
 * reader that encodes spans, against the chain without them, alternating in one process, over an
 * upstream that answers at once. Batches go to a collector in the same process, so that sending is
 * counted too.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Canceller } from '../src/base/flow/signal.ts'
import { type Authorized, type CallResult, type Inbound } from '../src/gateway/call.ts'
import { type Ledger, audit } from '../src/gateway/layers/audit.ts'
import { dispatch } from '../src/gateway/layers/dispatch.ts'
import { hop, trace } from '../src/gateway/layers/trace.ts'
import { type Handler, type Layer, Pipeline } from '../src/gateway/pipeline.ts'
import type { Tool } from '../src/gateway/upstream.ts'
import { createLog } from '../src/telemetry/log.ts'
import { type Otlp, openOtlp } from '../src/telemetry/otlp/open-otlp.ts'
import { readOtlpSettings } from '../src/telemetry/otlp/otlp-settings.ts'
import { aClient, anUpstream } from '../test/support/a-call.ts'
import { listen } from './support/listen.ts'
import { median, round } from './support/numbers.ts'

const CALLS = 20_000
const ROUNDS = 9

let received = 0
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (received += chunk.length))
  request.on('end', () => response.end('{}'))
})
const endpoint = await listen(collector)

const answer = { content: [{ type: 'text', text: 'hello' }] }
const upstream = anUpstream({ name: 'echo', kind: 'stdio', request: async () => answer })
const tool: Tool = { server: 'echo', name: 'echo', readOnly: true, definition: { name: 'echo' } }
const client = aClient()
let count = 0

function aCall(): Inbound {
  count += 1
  return {
    operation: 'tools/call',
    address: { kind: 'tool', server: 'echo', tool: 'echo' },
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hello' } },
    caller: { transport: 'in-process', credential: undefined, claimedAgent: undefined },
    client,
    options: {},
    signal: new Canceller(),
    event: { id: `bench-${count}`, startedAt: Date.now(), operation: 'tools/call', agent: 'ada' },
  }
}

/** Replaces identify, route and authorize; every chain measured here has it. */
const allow: Layer<Inbound, Authorized, CallResult> = (next) => async (call) =>
  next(
    Object.assign(call, {
      agent: { id: 'ada', proof: 'key' as const },
      upstream,
      tool,
      grant: { rule: 'all' },
    }),
  )

function chain(ledger: Ledger, otlp?: Otlp): Handler<Inbound, CallResult> {
  return Pipeline.for<Inbound, CallResult>()
    .through(trace(otlp?.tracing))
    .through(audit<Inbound>(ledger))
    .through(allow)
    .through(hop(otlp?.tracing))
    .to(dispatch())
}

function open(sampler: string): Otlp {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  return openOtlp(readOtlpSettings(env), createLog())
}

async function cpuUs(handler: Handler<Inbound, CallResult>): Promise<number> {
  const begun = process.cpuUsage()
  for (let n = 0; n < CALLS; n += 1) {
    await handler(aCall())
    // Time for batches to be sent: a full queue would drop spans, which costs nothing.
    if (n % 250 === 249) await sleep(3)
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

const all = open('always_on')
const none = open('always_off')
const off = chain({ record() {} })
const sampled = chain(all, all)
const unsampled = chain(none, none)
for (const handler of [off, sampled, unsampled]) await cpuUs(handler)
const sampledExtra: number[] = []
const unsampledExtra: number[] = []
for (let n = 0; n < ROUNDS; n += 1) {
  const offUs = await cpuUs(off)
  sampledExtra.push((await cpuUs(sampled)) - offUs)
  unsampledExtra.push((await cpuUs(unsampled)) - offUs)
}
await all.close()
await none.close()
collector.close()

const result = {
  sampledUs: round(median(sampledExtra)),
  unsampledUs: round(median(unsampledExtra)),
  bytesPerCall: Math.round(received / ((ROUNDS + 1) * CALLS)),
  dropped: all.dropped,
}
console.log(
  `every call traced: ${result.sampledUs} µs of CPU more, ${result.bytesPerCall} bytes sent, collector included; left out by the sampler: ${result.unsampledUs} µs`,
)
console.log(`RESULT ${JSON.stringify(result)}`)
