import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aCall, aClient } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { rememberLate } from '../../protocol/late-answers.ts'
import { fromText } from '../../protocol/raw-text.ts'
import type { Authorized, CallResult } from '../call.ts'
import { createSlots } from '../state/slots.ts'
import { type ConcurrencyOptions, concurrency } from './concurrency.ts'

function limited(options: ConcurrencyOptions) {
  const slots = createSlots()
  return concurrency(options, () => slots)
}

/** A gateway in front of an upstream whose calls end when the test says so. */
function sharedUpstream(
  limit: number | undefined,
  agentShare = 1,
  answer = (): CallResult => ({}),
) {
  const running: { agent: string; end: () => void }[] = []
  const handle = limited({ limitOf: () => limit, agentShare })(
    async ({ agent }: Authorized) =>
      new Promise<CallResult>((resolve) => {
        running.push({ agent: agent.id, end: () => resolve(answer()) })
      }),
  )
  return {
    call: async (id: string, signal = new AbortController().signal) =>
      handle(aCall({ agent: { id, proof: 'key' }, signal })),
    agents: () => running.map(({ agent }) => agent),
    async endFirst() {
      running.shift()?.end()
      await new Promise(setImmediate)
    },
  }
}

describe('concurrency', () => {
  it('lets every call through at once while there are slots', async () => {
    const upstream = sharedUpstream(3)
    for (let n = 0; n < 3; n++) void upstream.call('ada')
    expect(upstream.agents()).toEqual(['ada', 'ada', 'ada'])
  })

  it('lets an agent that gets large results have one call at a time beside others', async () => {
    const large = `{"text":"${'x'.repeat(70_000)}"}`
    const upstream = sharedUpstream(8, 1, () => fromText(large) ?? {})
    void upstream.call('ada')
    await upstream.endFirst()
    for (let n = 0; n < 2; n++) void upstream.call('ada')
    expect(upstream.agents(), 'alone').toEqual(['ada', 'ada'])
    for (const id of ['bob', 'ada', 'bob']) void upstream.call(id)
    expect(upstream.agents(), 'beside another').toEqual(['ada', 'ada', 'bob', 'bob'])
  })

  it('holds nobody up when there is no limit', () => {
    const upstream = sharedUpstream(undefined)
    for (let n = 0; n < 100; n++) void upstream.call('ada')
    expect(upstream.agents()).toHaveLength(100)
  })

  it.each([
    [64, 48],
    [3, 2],
    [2, 1],
    [1, 1],
  ])('of %i slots gives one agent %i, and the rest to others', async (slots, most) => {
    const upstream = sharedUpstream(slots, 0.75)
    for (let n = 0; n < slots * 2; n++) void upstream.call('ada')
    for (let n = 0; n < slots * 2; n++) void upstream.call('bob')
    const held = (id: string) => upstream.agents().filter((agent) => agent === id).length
    expect([held('ada'), held('bob')]).toEqual([most, Math.min(most, slots - most)])
    for (let n = 0; n < slots; n++) await upstream.endFirst()
    expect(Math.max(held('ada'), held('bob'))).toBeLessThanOrEqual(most)
    expect(held('ada') + held('bob')).toBe(slots)
  })

  it('counts sub-agents as the agent whose rights they have', async () => {
    const running: string[] = []
    const handle = limited({ limitOf: () => 4, agentShare: 0.5 })(async ({ agent }) => {
      running.push(agent.id)
      return new Promise(() => {})
    })
    for (const id of ['one', 'two', 'three'])
      void handle(aCall({ agent: { id, ancestors: ['kid', 'lead'], proof: 'handle' } }))
    void handle(aCall({ agent: { id: 'bob', proof: 'key' } }))
    expect(running).toEqual(['one', 'two', 'bob'])
  })

  it("gives another agent's first call the very next slot, past 20 waiting calls", async () => {
    const upstream = sharedUpstream(2)
    for (let n = 0; n < 22; n++) void upstream.call('slow')
    void upstream.call('bob')
    await upstream.endFirst()
    expect(upstream.agents()).toEqual(['slow', 'bob'])
  })

  it('takes turns between agents that all have many calls waiting', async () => {
    const upstream = sharedUpstream(1)
    for (const agent of ['ada', 'bob', 'eve']) for (let n = 0; n < 4; n++) void upstream.call(agent)
    const served: string[] = []
    for (let n = 0; n < 9; n++) {
      served.push(...upstream.agents())
      await upstream.endFirst()
    }
    expect(served).toEqual(['ada', 'bob', 'eve', 'ada', 'bob', 'eve', 'ada', 'bob', 'eve'])
  })

  it('lets an aborted call leave the queue at once and its slot go to the next', async () => {
    const upstream = sharedUpstream(1)
    const controller = new AbortController()
    void upstream.call('ada')
    const left = upstream.call('bob', controller.signal)
    void upstream.call('eve')
    const reason = new Error('deadline')
    controller.abort(reason)
    await expect(left).rejects.toBe(reason)
    await upstream.endFirst()
    expect(upstream.agents()).toEqual(['eve'])
  })

  it('keeps the slot of an aborted call while its server works on it, and the time of others', async () => {
    const working = deferred<void>()
    const handle = limited({ limitOf: () => 1, agentShare: 1 })(async ({ signal, agent }) => {
      if (agent.id !== 'low') return { for: agent.id }
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          rememberLate(signal, working.promise)
          reject(signal.reason)
        })
      })
    })
    const leaving = new Canceller()
    const left = handle(aCall({ agent: { id: 'low', proof: 'key' }, signal: leaving }))
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    const next = aCall({ agent: { id: 'boss', proof: 'key' } })
    const answered = handle(next)
    await new Promise(setImmediate)
    expect(next.event.waited, 'it waits for a slot').toBeDefined()
    working.resolve()
    expect(await answered).toEqual({ for: 'boss' })
  })

  it('frees the slot of a call that failed', async () => {
    let calls = 0
    const handle = limited({ limitOf: () => 1, agentShare: 1 })(async () => {
      if (calls++ === 0) throw new Error('broken')
      return {}
    })
    await expect(handle(aCall())).rejects.toThrow('broken')
    await expect(handle(aCall())).resolves.toEqual({})
  })

  it('keeps the slots that are taken when a reload makes a new layer', async () => {
    const slots = createSlots()
    const running: string[] = []
    const layer = () =>
      concurrency(
        { limitOf: () => 1, agentShare: 1 },
        () => slots,
      )(async ({ agent }) => {
        running.push(agent.id)
        return new Promise(() => {})
      })
    void layer()(aCall({ agent: { id: 'ada', proof: 'key' } }))
    void layer()(aCall({ agent: { id: 'bob', proof: 'key' } }))
    expect(running).toEqual(['ada'])
  })

  it('follows a limit that a reload raises', async () => {
    let limit = 1
    let running = 0
    const handle = limited({ limitOf: () => limit, agentShare: 1 })(async () => {
      running++
      return new Promise(() => {})
    })
    void handle(aCall())
    void handle(aCall())
    expect(running).toBe(1)
    limit = 3
    void handle(aCall())
    expect(running).toBe(2)
  })
})

const asked = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const slots = createSlots()
  const answers: (() => void)[] = []
  const client = aClient({
    capabilities: { elicitation: {} },
    request: async () => new Promise((resolve) => answers.push(() => resolve({}))),
  })
  const handle = concurrency(
    { limitOf: () => 1, agentShare: 1 },
    () => slots,
  )(async (call) => {
    await call.client.request('elicitation/create', {})
    return new Promise<CallResult>((resolve) => answers.push(() => resolve({})))
  })
  return {
    slots,
    answers,
    client,
    call: async (parts = {}) => handle(aCall({ client, ...parts })),
  }
}

describe('the slot of a call whose server asks the client', () => {
  it('is lent after a quarter of a second, and taken back with the answer', async () => {
    const { slots, answers, call } = asked()
    const calling = call()
    await vi.advanceTimersByTimeAsync(249)
    expect(slots.busy).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(slots.busy).toBe(0)
    answers[0]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(slots.busy).toBe(1)
    answers[1]?.()
    await calling
    expect(slots.busy).toBe(0)
  })

  it('is not lent to anybody where the client answers sooner, or cannot be asked', async () => {
    const { slots, answers, call } = asked()
    const calling = call()
    await vi.advanceTimersByTimeAsync(200)
    answers[0]?.()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(slots.busy).toBe(1)
    answers[1]?.()
    await calling
    void call({ client: aClient({ request: async () => new Promise(() => {}) }) })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(slots.busy).toBe(1)
  })

  it('is counted once when the call ends before its question does', async () => {
    const slots = createSlots()
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const client = aClient({
      capabilities: { elicitation: {} },
      request: async () => new Promise(() => {}),
    })
    const handle = concurrency(
      { limitOf: () => 2, agentShare: 1 },
      () => slots,
    )(async (call) => {
      void call.client.request('elicitation/create', {})
      await new Promise((resolve) => setTimeout(resolve, Number(call.options.timeoutMs)))
      // Asked too late: the call ends in this very moment.
      setTimeout(() => void call.client.request('elicitation/create', {}), 10)
      return {}
    })
    for (const timeoutMs of [100, 400]) {
      const calling = handle(aCall({ client, options: { timeoutMs } }))
      await vi.advanceTimersByTimeAsync(timeoutMs)
      await calling
      await vi.advanceTimersByTimeAsync(1_000)
      expect([slots.busy, slots.lend()]).toEqual([0, true])
      slots.takeBack()
    }
  })
})
