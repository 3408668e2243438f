import { describe, expect, it } from 'vitest'
import { type RateLimitOptions, type RateDecision, createRateLimits } from './rate-limits.ts'

function ratesAt(options: RateLimitOptions) {
  const clock = { ms: 0 }
  const rates = createRateLimits({ ...options, nowMs: () => clock.ms })
  const take = (agent: string) => {
    const turn = rates?.take(agent)
    if (turn === undefined || turn instanceof Promise) throw new Error('expected a turn at once')
    return turn
  }
  return { clock, take }
}

const waitOf = (turn: RateDecision) => (turn.ok ? 0 : turn.retryAfterMs)

describe('token buckets', () => {
  it('lets a burst through, then one call per interval', () => {
    const { clock, take } = ratesAt({ ratePerMinute: 60, burst: 3 })
    expect([take('a'), take('a'), take('a')].every(({ ok }) => ok)).toBe(true)
    expect(waitOf(take('a'))).toBe(1_000)
    clock.ms = 999
    expect(waitOf(take('a'))).toBe(1)
    clock.ms = 1_000
    expect(take('a').ok).toBe(true)
    expect(take('a').ok).toBe(false)
  })

  it('says exactly how long to wait, for any rate and moment', () => {
    const { clock, take } = ratesAt({ ratePerMinute: 77, burst: 5 })
    for (let n = 0; n < 500; n++) {
      clock.ms += (n * 37) % 400
      const wait = waitOf(take('a'))
      if (wait === 0) continue
      clock.ms += wait - 1
      expect(take('a').ok).toBe(false)
      clock.ms += 1
      expect(take('a').ok).toBe(true)
    }
  })

  it('charges nothing for a refused call', () => {
    const { take } = ratesAt({ ratePerMinute: 60, burst: 1 })
    take('a')
    for (let n = 0; n < 100; n++) expect(waitOf(take('a'))).toBe(1_000)
  })

  it('gives an agent its own rate, or none', () => {
    const { take } = ratesAt({
      ratePerMinute: 1,
      burst: 1,
      agents: { fast: { ratePerMinute: 120, burst: 2 }, free: {} },
    })
    take('fast')
    expect(take('fast').ok).toBe(true)
    expect(waitOf(take('fast'))).toBe(500)
    for (let n = 0; n < 50; n++) expect(take('free').ok).toBe(true)
  })

  it('limit single agents where there is no common limit', () => {
    const { take } = ratesAt({ agents: { slow: { ratePerMinute: 60, burst: 1 } } })
    expect(take('slow').ok).toBe(true)
    expect(waitOf(take('slow'))).toBe(1_000)
    for (let n = 0; n < 50; n++) expect(take('other').ok).toBe(true)
  })

  it('are none at all where nobody is limited', () => {
    expect(createRateLimits({})).toBeUndefined()
    expect(createRateLimits({ ratePerMinute: 0 })).toBeUndefined()
    expect(
      createRateLimits({ ratePerMinute: 0, agents: { ada: {}, bob: { ratePerMinute: 0 } } }),
    ).toBeUndefined()
    expect(createRateLimits({ agents: { ada: { ratePerMinute: 1 } } })).toBeDefined()
  })

  it('hold a minute of calls where no burst is named, and one where the rate is below one', () => {
    const minute = ratesAt({ ratePerMinute: 5 })
    expect([1, 2, 3, 4, 5, 6].map(() => minute.take('a').ok)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ])
    const rare = ratesAt({ ratePerMinute: 0.5 })
    expect(rare.take('a').ok).toBe(true)
    expect(waitOf(rare.take('a'))).toBe(120_000)
  })

  it('remembers a bounded number of agents', () => {
    const { take } = ratesAt({ ratePerMinute: 1, burst: 1, maxAgents: 3 })
    for (const agent of ['a', 'b', 'c', 'd']) expect(take(agent).ok).toBe(true)
    expect(take('d').ok).toBe(false)
    expect(take('a').ok, 'the oldest was forgotten').toBe(true)
  })
})
