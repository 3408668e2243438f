import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { Stopwatch } from '../../base/flow/time.ts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aCall, aClient } from '../../../test/support/a-call.ts'
import type { Authorized, CallResult, Client } from '../call.ts'
import { deadline, timeOf, withLeft } from './deadlines.ts'

/** By the global timer, which a test may replace. */
async function wait(ms: number, value: CallResult = {}): Promise<CallResult> {
  return new Promise((resolve) => setTimeout(() => resolve(value), ms))
}

const answer: CallResult = { content: [] }
const hang = async () => new Promise<CallResult>(() => {})
const within = (ms: number | undefined) => deadline({ ms: () => ms })

it('answers 64 callers at about the deadline when the server ignores its abort signal', async () => {
  const started = performance.now()
  const calls = Array.from({ length: 64 }, async () => within(60)(hang)(aCall()))
  const outcomes = await Promise.allSettled(calls)
  expect(performance.now() - started).toBeLessThan(20_000)
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'TIMEOUT', message: 'Tool execution timed out after 60ms' },
    })
  }
})

it('aborts the request upstream when the time is over', async () => {
  let seen: Signal | undefined
  const layered = within(10)(async (call) => {
    seen = call.signal
    return hang()
  })
  await expect(layered(aCall())).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(seen?.aborted).toBe(true)
})

it('takes the time the caller wished for and writes it down', async () => {
  const call = aCall({ options: { timeoutMs: 15 } })
  await expect(within(60_000)(hang)(call)).rejects.toThrow('timed out after 15ms')
  expect(call.event.timeoutMs).toBe(15)
})

it('gives the caller no more than the operator allows, but never less than is configured', async () => {
  const options = { timeoutMs: 60_000 }
  const capped = deadline({ ms: () => 5, maxMs: 20 })(hang)(aCall({ options }))
  await expect(capped).rejects.toMatchObject({
    message: 'Tool execution timed out after 20ms',
    details: { hint: expect.stringContaining('20 ms is the most') },
  })
  const configured = deadline({ ms: () => 30, maxMs: 20 })(hang)(aCall({ options }))
  await expect(configured).rejects.toThrow('timed out after 30ms')
  const modest = deadline({ ms: () => 30, maxMs: 20 })(hang)(aCall({ options: { timeoutMs: 10 } }))
  await expect(modest).rejects.toThrow('timed out after 10ms')
})

it('takes more time than a timer can be set to as much, not as none', async () => {
  const call = aCall({ options: { timeoutMs: 2 ** 31 } })
  const slow = async () => wait(20, answer)
  expect(await within(undefined)(slow)(call)).toBe(answer)
})

it('leaves a call without a deadline alone', async () => {
  const call = aCall()
  const seen: Authorized[] = []
  const layered = within(undefined)(async (given) => {
    seen.push(given)
    return answer
  })
  expect(await layered(call)).toBe(answer)
  expect(seen[0]).toBe(call)
})

it('leaves a client that waits for the result of a task alone, as the task has its own time', async () => {
  const waiting = within(5)(async () => wait(50, answer))
  expect(await waiting(aCall({ method: 'tasks/result' }))).toBe(answer)
  await expect(waiting(aCall({ method: 'tasks/get' }))).rejects.toMatchObject({ code: 'TIMEOUT' })
})

it('ends at once when the caller leaves', async () => {
  const controller = new AbortController()
  const running = within(60_000)(hang)(aCall({ signal: controller.signal }))
  controller.abort(new Error('left'))
  await expect(running).rejects.toThrow('left')
})

it('gives the whole time again on progress', async () => {
  const layered = within(60)(async ({ client }) => {
    for (let step = 0; step < 4; step++) {
      await wait(30)
      client.notify('notifications/progress', { progress: step })
    }
    return answer
  })
  const wanting = aCall({ params: { name: 'echo', _meta: { progressToken: 1 } } })
  expect(await layered(wanting)).toBe(answer)
})

it('gives the whole time again after the process itself did not run', async () => {
  const layered = within(50)(async () => wait(60, answer))
  const running = layered(aCall())
  const hanging = within(50)(hang)(aCall())
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
  expect(await running).toBe(answer)
  await expect(hanging).rejects.toMatchObject({ code: 'TIMEOUT' })
})

it('stands still while the server waits for the client', async () => {
  const client = aClient({
    capabilities: { roots: {} },
    request: async () => {
      await wait(150)
      return { roots: [] }
    },
  })
  const asking = within(80)(async (call) => {
    await call.client.request('roots/list', {})
    return answer
  })
  expect(await asking(aCall({ client }))).toBe(answer)
  const askingThenHanging = within(80)(async (call) => {
    await call.client.request('roots/list', {})
    return hang()
  })
  await expect(askingThenHanging(aCall({ client }))).rejects.toMatchObject({ code: 'TIMEOUT' })
})

const atRest = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}
const outcomeOf = (running: Promise<CallResult>) => {
  const seen: unknown[] = []
  running.then(
    (result) => seen.push(result),
    (error: { code?: string }) => seen.push(error.code),
  )
  return seen
}

describe('by the clock', () => {
  it('a question stops the time, and the answer lets the rest of it run', async () => {
    atRest()
    const client = aClient({ capabilities: { roots: {} }, request: async () => wait(5_000, {}) })
    const signals: Signal[] = []
    const seen = outcomeOf(
      within(100)(async (call) => {
        signals.push(call.signal)
        await wait(60)
        await call.client.request('roots/list', {})
        return hang()
      })(aCall({ client })),
    )
    expect(signals[0]?.deadlineAt).toBeCloseTo(performance.now() + 100, 0)
    await vi.advanceTimersByTimeAsync(60)
    expect(signals[0]?.deadlineAt).toBeUndefined()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(signals[0]?.deadlineAt).toBeCloseTo(performance.now() + 40, 0)
    await vi.advanceTimersByTimeAsync(39)
    expect(seen).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual(['TIMEOUT'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('progress during a question does not start the time, and after the end nothing does', async () => {
    atRest()
    const client = aClient({ capabilities: { roots: {} }, request: async () => wait(5_000, {}) })
    const notified: string[] = []
    let upstream: Client | undefined
    const seen = outcomeOf(
      within(100)(async (call) => {
        upstream = call.client
        void call.client.request('roots/list', {})
        call.client.notify('notifications/progress', { progress: 1 })
        return hang()
      })(aCall({ client: { ...client, notify: (method) => void notified.push(method) } })),
    )
    await vi.advanceTimersByTimeAsync(1_000)
    expect([seen, notified]).toEqual([[], ['notifications/progress']])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(seen).toEqual(['TIMEOUT'])
    upstream?.notify('notifications/progress', { progress: 2 })
    void upstream?.request('roots/list', {})
    await vi.advanceTimersByTimeAsync(6_000)
    expect([vi.getTimerCount(), notified.length]).toEqual([0, 2])
  })

  it('only progress gives the whole time again', async () => {
    atRest()
    const call = async (method: string) =>
      within(100)(async ({ client }) => {
        await wait(80)
        client.notify(method, {})
        return wait(80, answer)
      })(aCall({ params: { _meta: { progressToken: 1 } } }))
    const progress = outcomeOf(call('notifications/progress'))
    const message = outcomeOf(call('notifications/message'))
    await vi.advanceTimersByTimeAsync(200)
    expect([progress, message]).toEqual([[answer], ['TIMEOUT']])
  })

  it('what was sent and answered leaves nothing behind', async () => {
    atRest()
    const leaving = new Canceller()
    const removed = vi.spyOn(leaving, 'removeEventListener')
    expect(await within(100)(async () => answer)(aCall({ signal: leaving }))).toBe(answer)
    expect(removed).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('what a server says after its answer does not start the time again', async () => {
    atRest()
    const client = aClient({ capabilities: { roots: {} }, request: async () => wait(50, {}) })
    const call = aCall({ client })
    let upstream: Client | undefined
    const answering = within(100)(async ({ client: seen }) => {
      upstream = seen
      void seen.request('roots/list', {})
      return answer
    })
    expect(await answering(call)).toBe(answer)
    await vi.advanceTimersByTimeAsync(50)
    upstream?.notify('notifications/progress', { progress: 1 })
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(200)
    expect(call.event.timeoutMs).toBeUndefined()
  })

  it('a call whose client has left before is not sent', async () => {
    const sent = vi.fn(async () => answer)
    const gone = AbortSignal.abort(new Error('left'))
    await expect(within(100)(sent)(aCall({ signal: gone }))).rejects.toThrow('left')
    expect(sent).not.toHaveBeenCalled()
  })
})

it('writes down only the time that a caller wished for', async () => {
  const plain = aCall()
  await within(1_000)(async () => answer)(plain)
  expect(plain.event).not.toHaveProperty('timeoutMs')
  const endless = aCall({ options: { timeoutMs: Infinity } })
  await within(undefined)(async () => answer)(endless)
  expect(endless.event).not.toHaveProperty('timeoutMs')
})

const hintFor = async (timeoutMs?: number) =>
  deadline({ ms: () => 5, maxMs: 10 })(hang)(aCall({ options: { timeoutMs } })).catch(
    (error: { details: { hint: string } }) => error.details.hint,
  )

it('says that the caller could ask for more only where it could', async () => {
  const more = 'Ask for less, or allow more time with timeout_ms.'
  expect(await hintFor()).toBe(more)
  expect(await hintFor(10)).toBe(more)
  expect(await hintFor(11)).toBe('Ask for less: 10 ms is the most that timeout_ms may allow here.')
})

it('takes from the time of a call what was spent before, when it is worth counting', () => {
  const call = aCall()
  expect(withLeft(call, undefined, 500)).toBe(call)
  expect(withLeft(call, 1_000, 9)).toBe(call)
  expect(withLeft(call, 1_000, 10).options).toEqual({ timeoutMs: 990 })
  expect(withLeft(call, 1_000, 5_000).options).toEqual({ timeoutMs: 1 })
  expect(timeOf(call, undefined)).toBeUndefined()
  expect(timeOf(aCall({ options: { timeoutMs: 7 } }), undefined)).toBe(7)
})

it.each([
  ['all of it', 100, 0, false],
  ['nearly all of it', 100, 9, false],
  ['less, because the caller wished so', 50, 0, true],
  ['less, because it waited for a slot', 100, 20, true],
])(
  'blames the server that had %s: %s ms, waited %s',
  async (_, timeoutMs, waitedMs, inconclusive) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = aCall({ options: { timeoutMs } })
    // What an earlier try waited says nothing about this one.
    await Promise.all([
      (call.event.waited = new Stopwatch()).during(wait(500)),
      vi.advanceTimersByTimeAsync(500),
    ])
    const failed = within(100)(async ({ event }) => {
      await event.waited?.during(wait(waitedMs))
      return hang()
    })(call).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(100)
    expect(await failed).toMatchObject({ code: 'TIMEOUT', details: { inconclusive } })
  },
)
