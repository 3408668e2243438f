import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { FutileCalls } from '../state/futile-calls.ts'
import { createRateLimits } from '../state/rate-limits.ts'
import { limit } from './limits.ts'
import { MUTATING } from '../../../test/support/mutating.ts'

const answer = async () => ({ content: [] })
const callOf = (id: string) => aCall({ agent: { id, proof: 'key' } })
const byHandle = (id: string) =>
  aCall({ agent: { id, proof: 'handle', ancestors: ['middle', 'ada'] } })

it('passes calls on in the same turn when no limit is configured', () => {
  expect(createRateLimits({})).toBeUndefined()
  const given: unknown[] = []
  const handle = limit(
    createRateLimits({}),
    new FutileCalls(),
  )(async (call) => {
    given.push(call)
    return { content: [] }
  })
  const call = callOf('ada')
  void handle(call)
  expect(given).toEqual([call])
})

it.skipIf(MUTATING)('refuses with a retry-after that is true', async () => {
  const handle = limit(
    createRateLimits({ ratePerMinute: 120, burst: 2 }),
    new FutileCalls(),
  )(answer)
  await handle(callOf('ada'))
  await handle(callOf('ada'))
  const refusal = await handle(callOf('ada')).catch((error) => error)
  expect(refusal).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'rate_limited' } })
  const { retryAfterMs } = refusal.details
  expect(retryAfterMs).toBeGreaterThan(0)
  expect(retryAfterMs).toBeLessThanOrEqual(500)
  await sleep(retryAfterMs + 2)
  await expect(handle(callOf('ada'))).resolves.toEqual({ content: [] })
})

it('counts each agent for itself', async () => {
  const handle = limit(createRateLimits({ ratePerMinute: 1, burst: 1 }), new FutileCalls())(answer)
  await handle(callOf('ada'))
  await expect(handle(callOf('ada'))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await expect(handle(callOf('bob'))).resolves.toBeDefined()
})

it('counts what a handle does for those it comes from too', async () => {
  const handle = limit(createRateLimits({ ratePerMinute: 1, burst: 2 }), new FutileCalls())(answer)
  await handle(byHandle('one'))
  await handle(byHandle('two'))
  await expect(handle(byHandle('three'))).rejects.toThrow("Agent 'middle' has used up")
  await expect(handle(callOf('ada'))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

it('does not count what a sub-agent does for an agent that merely has its name', async () => {
  const handle = limit(createRateLimits({ ratePerMinute: 1, burst: 2 }), new FutileCalls())(answer)
  await handle(byHandle('bob'))
  await handle(byHandle('bob'))
  await expect(handle(byHandle('bob'))).rejects.toThrow("Agent 'bob' has used up")
  for (const other of ['bob', 'middle']) await expect(handle(callOf(other))).resolves.toBeDefined()
})

it('waits for rates that are kept elsewhere', async () => {
  const far = { take: async () => ({ ok: false, retryAfterMs: 7 }) as const }
  await expect(limit(far, new FutileCalls())(answer)(callOf('ada'))).rejects.toMatchObject({
    details: { retryAfterMs: 7 },
  })
})

/** Ada has failed thirty times, beside Bob. */
function futile(): FutileCalls {
  const calls = new FutileCalls()
  const event = { id: '', startedAt: 0, operation: 'tools/call' }
  calls.record({ ...event, agent: 'bob', decision: 'ALLOW' })
  for (let n = 0; n < 30; n++) calls.record({ ...event, agent: 'ada', decision: 'DENY' })
  return calls
}

describe('an agent whose calls only fail', () => {
  it('waits before its call starts, and so does a handle that it minted', async () => {
    const begun: string[] = []
    const handle = limit(
      undefined,
      futile(),
    )(async ({ agent }) => {
      begun.push(agent.id)
      return { content: [] }
    })
    const late = [handle(callOf('ada')), handle(byHandle('sub'))]
    await handle(callOf('bob'))
    expect(begun).toEqual(['bob'])
    await Promise.all(late)
    expect(begun.toSorted()).toEqual(['ada', 'bob', 'sub'])
  })

  it('stops waiting when its client leaves', async () => {
    const left = new AbortController()
    const begun: unknown[] = []
    const handle = limit(
      undefined,
      futile(),
    )(async (call) => {
      begun.push(call)
      return { content: [] }
    })
    const waiting = handle(aCall({ agent: { id: 'ada', proof: 'key' }, signal: left.signal }))
    left.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(begun).toEqual([])
  })
})
