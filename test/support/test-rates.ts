import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RateLimits, RateLimitOptions } from '../../src/gateway/state/rate-limits.ts'

/** Tests that all rate limits must pass, on any clock, and on a machine that is busy. */
export function testRates(
  kind: string,
  open: (options: RateLimitOptions) => RateLimits | undefined,
): void {
  let agents = 0
  const opened = (options: RateLimitOptions) => {
    const rates = open(options)
    if (!rates) throw new Error('nothing is limited')
    return rates
  }
  describe(`rates: ${kind}`, () => {
    it('lets a burst through, then one call per interval', async () => {
      const rates = opened({ ratePerMinute: 20, burst: 3 })
      const agent = `burst-${(agents += 1)}`
      const [first, second, third, wait = 0] = await waits(rates, agent, 4)
      expect([first, second, third]).toEqual([0, 0, 0])
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(3_000)
      await sleep(wait + 1)
      const [granted, refused = 0] = await waits(rates, agent, 2)
      expect(granted).toBe(0)
      expect(refused).toBeGreaterThan(0)
    })

    it('charges nothing for a refused call', async () => {
      const rates = opened({ ratePerMinute: 60, burst: 1 })
      const [first, ...rest] = await waits(rates, `refused-${(agents += 1)}`, 20)
      expect(first).toBe(0)
      for (const wait of rest) {
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(1000)
      }
    })

    it('gives an agent its own rate, or none, and keeps agents apart', async () => {
      const run = (agents += 1)
      const [fast, free, other] = [`fast-${run}`, `free-${run}`, `other-${run}`]
      const rates = opened({
        ratePerMinute: 1,
        burst: 1,
        agents: { [fast]: { ratePerMinute: 120, burst: 2 }, [free]: {} },
      })
      expect((await waits(rates, fast, 2)).every((wait) => wait === 0)).toBe(true)
      expect((await waits(rates, free, 50)).every((wait) => wait === 0)).toBe(true)
      const [granted, refused = 0] = await waits(rates, other, 2)
      expect(granted).toBe(0)
      expect(refused).toBeGreaterThan(50_000)
    })

    it('is nothing at all where nobody is limited', () => {
      expect(open({ agents: { free: {} } })).toBeUndefined()
    })
  })
}

async function waits(rates: RateLimits, agent: string, count: number): Promise<number[]> {
  const turns = []
  for (let n = 0; n < count; n += 1) turns.push(await rates.take(agent))
  return turns.map((turn) => (turn.ok ? 0 : turn.retryAfterMs))
}
