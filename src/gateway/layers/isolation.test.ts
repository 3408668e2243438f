import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { aCall, aClient, anUpstream } from '../../../test/support/a-call.ts'
import { Peer } from '../../protocol/peer.ts'
import { explainFailure } from '../../upstreams/failures.ts'
import { BackingOff } from '../../upstreams/failures.ts'
import type { Authorized, CallResult, Client } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { Circuits, breaker } from './breaker.ts'
import { deadline } from './deadlines.ts'
import { type Slots, createSlots } from '../state/slots.ts'
import { concurrency } from './concurrency.ts'
import { MUTATING } from '../../../test/support/mutating.ts'

const CONFIGURED_MS = 60
const FAILURES = 5

const answer: CallResult = { content: [] }
const answers = async (): Promise<CallResult> => answer
const hangs = async () => new Promise<CallResult>(() => {})
const asksForRoots = async ({ client }: Authorized) => client.project().then(answers)
const asksPerson = async ({ client }: Authorized) =>
  client.request('elicitation/create', {}).then(answers)
const failing = (error: Error) => async () => {
  throw explainFailure('a', error)
}

interface Wish {
  readonly timeoutMs?: number
  readonly client?: Client
  readonly does?: (call: Authorized) => Promise<CallResult>
}

/** Two servers, `a` and `b`, behind the layers that decide when a server is asked. */
function twoServers({ slots = 64, agentShare = 1 } = {}) {
  let now = 0
  let sent = 0
  const work = new WeakMap<object, NonNullable<Wish['does']>>()
  const circuits = new Circuits(() => ({ failures: FAILURES, openMs: 30_000, now: () => now }))
  const taken = new Map<string, Slots>()
  const slotsOf = (server: string) => {
    const known = taken.get(server) ?? createSlots()
    taken.set(server, known)
    return known
  }
  const slotted = concurrency(
    { limitOf: () => slots, agentShare },
    slotsOf,
  )(async (call) => {
    sent++
    return (work.get(call.event) ?? answers)(call)
  })
  const handle = breaker(circuits)(deadline({ ms: () => CONFIGURED_MS })(slotted))
  return {
    circuits,
    sent: () => sent,
    pass: (ms: number) => (now += ms),
    ask: async (agent: string, server: string, wish: Wish = {}): Promise<unknown> => {
      const call = aCall({
        agent: { id: agent, proof: 'key' },
        upstream: anUpstream({ name: server }),
        options: { timeoutMs: wish.timeoutMs },
        client: wish.client ?? aClient(),
      })
      if (wish.does) work.set(call.event, wish.does)
      return handle(call).catch((error: unknown) => error)
    },
  }
}

const times = async (count: number, ask: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, ask))

/** Takes `a` down by calls that were sent and had the configured time. */
async function open({ ask }: ReturnType<typeof twoServers>): Promise<void> {
  await times(FAILURES, async () => ask('low', 'a', { does: hangs }))
}

describe('a circuit is opened by', () => {
  it('calls that were sent and not answered within the configured time, and by them alone', async () => {
    const servers = twoServers()
    await open(servers)
    expect(servers.circuits.states()).toEqual({ a: 'open' })
    expect(await servers.ask('boss', 'a')).toMatchObject({
      code: 'CIRCUIT_OPEN',
      message: "Server 'a' is temporarily disabled after repeated failures. Try again in 30 s.",
    })
    expect(await servers.ask('boss', 'b')).toBe(answer)
  })

  it('no time that a caller chose shorter than the configured one', async () => {
    const { ask, circuits } = twoServers()
    const low = await times(FAILURES * 2, async () =>
      ask('low', 'a', { does: hangs, timeoutMs: 5 }),
    )
    expect(low).toEqual(low.map(() => expect.objectContaining({ code: 'TIMEOUT' })))
    expect(await ask('boss', 'a')).toBe(answer)
    expect(circuits.states()).toEqual({ a: 'closed' })
  })

  it.skipIf(MUTATING)('no time spent waiting for a slot', async () => {
    const { ask, circuits, sent } = twoServers({ slots: 1 })
    const holding = ask('low', 'a', { does: async () => wait(1000, answer), timeoutMs: 5000 })
    const boss = await times(FAILURES * 2, async () => ask('boss', 'a'))
    expect(boss).toEqual(boss.map(() => expect.objectContaining({ code: 'TIMEOUT' })))
    expect(sent()).toBe(1)
    expect(circuits.states()).toEqual({ a: 'closed' })
    expect(await holding).toBe(answer)
    expect(await ask('boss', 'a')).toBe(answer)
  })

  it("no time spent waiting for the client's roots", async () => {
    const { ask, circuits } = twoServers()
    const client = aClient({
      capabilities: { roots: {} },
      project: async () => new Promise(() => {}),
    })
    await times(FAILURES, async () => ask('low', 'a', { does: asksForRoots, client }))
    expect(circuits.states()).toEqual({ a: 'closed' })
  })

  it('no refusal of a server that is given time to restart, but by the starts that fail', async () => {
    const crash = new Error('its process ended')
    const { ask, circuits } = twoServers()
    const refusals = await times(FAILURES, async () =>
      ask('low', 'a', { does: failing(new BackingOff(crash, 250)) }),
    )
    expect(refusals[0]).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(circuits.states()).toEqual({ a: 'closed' })
    await times(FAILURES, async () => ask('low', 'b', { does: failing(crash) }))
    expect(circuits.states()).toEqual({ a: 'closed', b: 'open' })
  })
})

describe('the one call that tries a server again', () => {
  it('gives its place to the next when it ends without telling anything', async () => {
    const servers = twoServers()
    await open(servers)
    servers.pass(30_001)
    expect(await servers.ask('low', 'a', { does: hangs, timeoutMs: 5 })).toMatchObject({
      code: 'TIMEOUT',
    })
    expect(await servers.ask('boss', 'a')).toBe(answer)
    expect(servers.circuits.states()).toEqual({ a: 'closed' })
  })

  it.skipIf(MUTATING)('holds its place no longer than a circuit stays open', async () => {
    const servers = twoServers()
    await open(servers)
    servers.pass(30_001)
    const slow = servers.ask('low', 'a', { does: async () => wait(200, answer), timeoutMs: 5000 })
    expect(await servers.ask('boss', 'a')).toMatchObject({ code: 'CIRCUIT_OPEN' })
    servers.pass(30_001)
    expect(await servers.ask('boss', 'a')).toBe(answer)
    expect(await slow).toBe(answer)
  })
})

describe('the slots of a server', () => {
  it.skipIf(MUTATING)('are never all taken by one agent', async () => {
    const { ask } = twoServers({ slots: 4, agentShare: 0.75 })
    const low = times(20, async () =>
      ask('low', 'a', { does: async () => wait(300, answer), timeoutMs: 1000 }),
    )
    expect(await times(3, async () => ask('boss', 'a'))).toEqual([answer, answer, answer])
    expect(await low).toContain(answer)
  })

  it.skipIf(MUTATING)(
    'are given back while a call waits for a person, and count for that agent alone',
    async () => {
      const { ask, sent } = twoServers({ slots: 4, agentShare: 0.5 })
      const client = aClient({
        capabilities: { elicitation: {} },
        request: async () => wait(1500, { action: 'accept' }),
      })
      const parked = times(2, async () => ask('low', 'a', { does: asksPerson, client }))
      await wait(500)
      const slow = { does: async () => wait(500, answer), timeoutMs: 5000 }
      const others = ['ada', 'bob'].map(async (agent) =>
        times(2, async () => ask(agent, 'a', slow)),
      )
      await new Promise(setImmediate)
      expect(sent()).toBe(6)
      expect(await ask('low', 'a')).toBeInstanceOf(GatewayError)
      expect(await Promise.all(others)).toEqual([
        [answer, answer],
        [answer, answer],
      ])
      expect(await parked).toEqual([answer, answer])
    },
  )
})

/** A server at the end of a wire that works on one request after the other, and ignores cancellations. */
function oneByOne() {
  const queue: { readonly id: number; readonly agent: unknown }[] = []
  const peer = new Peer(
    (text) => {
      const { id, params } = JSON.parse(text)
      if (id !== undefined) queue.push({ id, agent: params.agent })
    },
    { request: async () => ({}), notification: () => {} },
  )
  return {
    queue,
    finishNext: async () => {
      const done = queue.shift()
      peer.receive(JSON.stringify({ jsonrpc: '2.0', id: done?.id, result: { content: [] } }))
      await new Promise(setImmediate)
    },
    does: async ({ agent, signal }: Authorized) =>
      peer.request('tools/call', { agent: agent.id }, { signal }),
  }
}

const isLow = ({ agent }: { agent: unknown }) => agent === 'low'

it('calls with tiny timeouts do not fill the queue of a server that works one by one', async () => {
  const { ask, circuits } = twoServers({ slots: 64, agentShare: 0.75 })
  const { queue, finishNext, does } = oneByOne()
  const flood = async () => times(20, async () => ask('low', 'a', { does, timeoutMs: 1 }))
  expect(await flood()).toEqual(
    Array.from({ length: 20 }, () => expect.objectContaining({ code: 'TIMEOUT' })),
  )
  expect(queue.filter(isLow).length, 'while nothing is known of this agent').toBeGreaterThan(1)
  while (queue.length > 0) await finishNext()
  for (let round = 0; round < 5; round++) {
    await flood()
    expect(queue.filter(isLow).length).toBeLessThanOrEqual(1)
  }
  const boss = ask('boss', 'a', { does, timeoutMs: 5_000 })
  expect(queue.length).toBeLessThanOrEqual(2)
  while (queue.length > 0) await finishNext()
  expect(await boss).toMatchObject(answer)
  expect(circuits.states()).toEqual({ a: 'closed' })
})
