import type { Signal } from '../../base/signal.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { aCall, aClient } from '../../../test/support/a-call.ts'
import type { Authorized, CallResult } from '../call.ts'
import { deadline } from './deadlines.ts'

const answer: CallResult = { content: [] }
const hang = async () => new Promise<CallResult>(() => {})
const within = (ms: number | undefined) => deadline({ ms: () => ms })

it('answers 64 callers at about the deadline when the server ignores its abort signal', async () => {
  const started = performance.now()
  const calls = Array.from({ length: 64 }, async () => within(60)(hang)(aCall()))
  const outcomes = await Promise.allSettled(calls)
  expect(performance.now() - started).toBeLessThan(2000)
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
