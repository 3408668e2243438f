/**
 * What the layers that had nothing to do cost a call: the chain with budget, validate, cache, retry and
 * breaker against the chain without them, interleaved in one process, over an upstream that answers at
 * once. `npm run bench:layers -- <µs>` relates it to the CPU of a whole call (bench:gateway, CPU µs/call).
 */
import { breaker, Circuits } from '../build/gateway/layers/breaker.js'
import { budget } from '../build/gateway/layers/budgets.js'
import { cache } from '../build/gateway/layers/cache.js'
import { deadline } from '../build/gateway/layers/deadlines.js'
import { dispatch } from '../build/gateway/layers/dispatch.js'
import { RetryBudgets, retry } from '../build/gateway/layers/retry.js'
import { concurrency } from '../build/gateway/layers/concurrency.js'
import { validate } from '../build/gateway/layers/validate.js'
import { Pipeline } from '../build/gateway/pipeline.js'
import { ResultCache } from '../build/gateway/state/result-cache.js'
import { Flights } from '../build/gateway/state/flights.js'
import { createSlots } from '../build/gateway/state/slots.js'
import { Canceller } from '../build/base/signal.js'

const CALLS = 20_000
const ROUNDS = 12
const wholeCallUs = Number(process.argv[2] ?? 120)

const answer = { content: [{ type: 'text', text: 'hello' }] }
const upstream = { name: 'echo', kind: 'stdio', request: async () => answer }
const schema = { type: 'object', properties: { text: { type: 'string' } } }
const tool = {
  server: 'echo',
  name: 'echo',
  readOnly: true,
  definition: { name: 'echo', inputSchema: schema },
}
const client = { session: '', era: 'modern', capabilities: {}, notify() {} }

function aCall() {
  return {
    operation: 'tools/call',
    address: { kind: 'exposed', name: 'echo' },
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hello' } },
    caller: {},
    client,
    options: {},
    signal: new Canceller(),
    event: {},
    agent: { id: 'ada', proof: 'key' },
    upstream,
    tool,
    grant: { rule: 'all' },
  }
}

const results = new ResultCache({ maxEntries: 1000, maxBytes: 1 << 26, staleMs: 0 })
const circuits = new Circuits(() => ({ failures: 5, openMs: 30_000 }))
const slots = createSlots()
const end = (chain) =>
  chain
    .through(deadline({ ms: () => 60_000 }))
    .through(concurrency({ limitOf: () => 64, agentShare: 0.75 }, () => slots))
    .to(dispatch())
const bare = end(Pipeline.for())
const whole = end(
  Pipeline.for()
    .through(budget({ shape: async (result) => ({ result }) }, { maxTokens: () => undefined }))
    .through(validate())
    .through(cache({ results, flights: new Flights() }, { rule: () => undefined }))
    .through(retry({ retries: 1, baseMs: 100, share: 0.1 }, new RetryBudgets()))
    .through(breaker(circuits)),
)

async function cpuUs(chain) {
  const begun = process.cpuUsage()
  for (let n = 0; n < CALLS; n += 1) await chain(aCall())
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

const extra = []
await cpuUs(bare)
await cpuUs(whole)
for (let round = 0; round < ROUNDS; round += 1)
  extra.push(-(await cpuUs(bare)) + (await cpuUs(whole)))
const layersUs = extra.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]
function makeUs(make) {
  const begun = process.cpuUsage()
  for (let n = 0; n < 10 * CALLS; n += 1) make()
  const { user, system } = process.cpuUsage(begun)
  return ((user + system) / (10 * CALLS)).toFixed(2)
}
console.log(`an AbortController: ${makeUs(() => new AbortController().signal)} µs to make`)
console.log(`a Canceller: ${makeUs(() => new Canceller())} µs to make`)
const rounded = Math.round(layersUs * 100) / 100
console.log(`budget, validate, cache, retry and breaker: ${rounded} µs of CPU a call`)
const result = {
  layersUs: rounded,
  shareOfCallPct: Math.round((rounded / wholeCallUs) * 1000) / 10,
}
console.log(`RESULT ${JSON.stringify(result)}`)
