/**
 * Measures what layers without work cost a call: the chain with budget, validate, cache, retry and
 * breaker against the chain without them, alternating in one process, over an upstream that answers
 * at once. `npm run bench -- layers <µs>` relates it to the CPU time of a whole call
 * (bench:gateway, CPU µs/call). Also measures what it costs to build the whole chain, which a reload
 * does once.
 */
import { Canceller } from '../src/base/flow/signal.ts'
import { conditionsReady } from '../src/gateway/conditions/condition.ts'
import { createPolicy } from '../src/gateway/agents/policy.ts'
import type { Authorized, CallResult } from '../src/gateway/call.ts'
import { createCatalog } from '../src/gateway/catalog.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { breaker, Circuits } from '../src/gateway/layers/breaker.ts'
import { budget } from '../src/gateway/layers/budgets.ts'
import { cache } from '../src/gateway/layers/cache.ts'
import { concurrency } from '../src/gateway/layers/concurrency.ts'
import { deadline } from '../src/gateway/layers/deadlines.ts'
import { dispatch } from '../src/gateway/layers/dispatch.ts'
import { retry } from '../src/gateway/layers/retry.ts'
import { validate } from '../src/gateway/layers/validate.ts'
import { type Handler, Pipeline } from '../src/gateway/pipeline.ts'
import { ResultCache } from '../src/gateway/state/result-cache.ts'
import { tasks } from '../src/gateway/layers/tasks.ts'
import { createTaskIds } from '../src/gateway/tasks/task-ids.ts'
import { Tasks } from '../src/gateway/tasks/tasks.ts'
import { GatewayState } from '../src/gateway/state.ts'
import type { Tool } from '../src/gateway/upstream.ts'
import { aClient, anEvent, anUpstream } from '../test/support/a-call.ts'
import type { JsonObject } from '../src/base/json/json.ts'
import { median, round } from './support/numbers.ts'

type Chain = Handler<Authorized, CallResult>

const CALLS = 20_000
const ROUNDS = 12
const wholeCallUs = Number(process.argv[2] ?? 120)

const answer = { content: [{ type: 'text', text: 'hello' }] }
const upstream = anUpstream({ name: 'echo', kind: 'stdio', request: async () => answer })
const schema = { type: 'object', properties: { text: { type: 'string' } } }
const tool: Tool = {
  server: 'echo',
  name: 'echo',
  readOnly: true,
  definition: { name: 'echo', inputSchema: schema },
}
const client = aClient()

/** Has every field in one literal, because a spread would cost more than the layers. */
function aCall(): Authorized {
  return {
    operation: 'tools/call',
    address: { kind: 'exposed', name: 'echo' },
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hello' } },
    caller: { transport: 'in-process', credential: undefined, claimedAgent: undefined },
    client,
    options: {},
    signal: new Canceller(),
    event: anEvent(),
    agent: { id: 'ada', proof: 'key' },
    upstream,
    tool,
    grant: { rule: 'all' },
  }
}

const state = new GatewayState({
  circuits: new Circuits(() => ({ failures: 5, openMs: 30_000 })),
  results: new ResultCache({ maxEntries: 1000, maxBytes: 1 << 26, staleMs: 0 }),
  tasks: new Tasks({ ids: createTaskIds(() => Buffer.alloc(32)) }),
})
const start = Pipeline.for<Authorized, CallResult>()
const end = (chain: typeof start): Chain =>
  chain
    .through(deadline({ ms: () => 60_000 }))
    .through(tasks(state.tasks, { wait: true, ttlMs: 3_600_000 }))
    .through(concurrency({ limitOf: () => 64, agentShare: 0.75 }, (name) => state.slotsOf(name)))
    .to(dispatch())
const shaper = {
  shape: async (result: CallResult) => ({ result, tokenCount: 0, tokensSaved: 0 }),
}
const bare = end(start)
const whole = end(
  start
    .through(budget(shaper, { maxTokens: () => undefined }))
    .through(validate(createPolicy(undefined)))
    .through(cache(state, { rule: () => undefined }))
    .through(retry({ retries: 1, baseMs: 100, share: 0.1 }, state.retryBudgets))
    .through(breaker(state.circuits)),
)

const catalog = createCatalog([upstream])
const policy = createPolicy(undefined)

/** Builds the chain of a World, as a reload does. */
function buildChain(): unknown {
  return createGateway({
    ledger: { record: () => undefined },
    recording: { withArguments: false },
    agents: { identify: async () => ({ id: 'ada', proof: 'key' }) },
    rates: undefined,
    catalog,
    policy,
    shaper,
    budgets: { maxTokens: () => undefined },
    cacheRules: { rule: () => undefined },
    retries: { retries: 1, baseMs: 100, share: 0.1 },
    deadlines: { ms: () => 60_000 },
    concurrency: { limitOf: () => 64, agentShare: 0.75 },
    tasks: { wait: true, ttlMs: 3_600_000 },
    state,
  })
}

async function cpuUs(chain: Chain): Promise<number> {
  const begun = process.cpuUsage()
  for (let n = 0; n < CALLS; n += 1) await chain(aCall())
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

function on(property: string, when: JsonObject): JsonObject {
  return { required: [property], properties: { [property]: when } }
}

/** What ten denials with conditions cost, of each kind, none of which matches. */
async function judgingUs(): Promise<number> {
  const conditions = [
    ...['/etc', '/srv/prod', '/home/ada/.ssh'].map((within) => on('path', { within })),
    ...['pay.example.com', '*.internal'].map((host) => on('url', { host })),
    ...[100, 1000].map((minimum) => on('sum', { minimum })),
    ...['^ *drop ', 'password'].map((pattern) => on('text', { pattern })),
    on('kind', { enum: ['all', 'every'] }),
  ]
  const deny = { tools: { echo: conditions.map((when) => ({ tool: 'ec*', when })) } }
  const agents = { ada: { allow: { servers: ['*'] }, deny } }
  const judging = createPolicy({ agents, denyOnMissingAgent: true })
  await conditionsReady()
  const args = {
    path: '/home/ada/project/src/index.ts',
    url: 'https://api.example.com/v1/items?page=2',
    sum: 20,
    text: 'select name, total from orders where id = 5',
    kind: 'one',
  }
  const ada = { id: 'ada' }
  const rounds: number[] = []
  for (let turnNo = 0; turnNo < ROUNDS; turnNo += 1) {
    const begun = process.cpuUsage()
    for (let n = 0; n < CALLS; n += 1)
      if (judging.tool(ada, 'echo', 'echo', args).effect === 'deny') throw new Error('denied')
    const { user, system } = process.cpuUsage(begun)
    rounds.push((user + system) / CALLS)
  }
  return round(median(rounds))
}

function makeUs(make: () => unknown): string {
  const begun = process.cpuUsage()
  for (let n = 0; n < 10 * CALLS; n += 1) make()
  const { user, system } = process.cpuUsage(begun)
  return ((user + system) / (10 * CALLS)).toFixed(2)
}

const extra: number[] = []
await cpuUs(bare)
await cpuUs(whole)
for (let n = 0; n < ROUNDS; n += 1) extra.push(-(await cpuUs(bare)) + (await cpuUs(whole)))
console.log(`an AbortController: ${makeUs(() => new AbortController().signal)} µs to make`)
console.log(`a Canceller: ${makeUs(() => new Canceller())} µs to make`)
console.log(`the whole chain: ${makeUs(buildChain)} µs to build`)
const conditionsUs = await judgingUs()
console.log(`ten conditions on the arguments of the call: ${conditionsUs} µs of CPU a call`)
const layersUs = round(median(extra))
console.log(`budget, validate, cache, retry and breaker: ${layersUs} µs of CPU a call`)
const shareOfCallPct = round((layersUs / wholeCallUs) * 100, 1)
console.log(`RESULT ${JSON.stringify({ layersUs, shareOfCallPct, conditionsUs })}`)
