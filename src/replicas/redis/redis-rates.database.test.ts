import { describe, expect, inject, it } from 'vitest'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import { testRates } from '../../../test/support/test-rates.ts'
import { createRateLimits } from '../../gateway/state/rate-limits.ts'
import { openReadyRedis } from '../../../test/support/open-ready-redis.ts'
import { createRedisRateLimits } from './redis-rate-limits.ts'
import { createRedisRates } from './redis-rates.ts'

const [one, other] = await twoReplicas()

testRates('of one process', createRateLimits)
testRates('shared in Redis', (options) => createRedisRates(one, options))

describe('rates of several replicas', () => {
  it('let through together what one alone would', async () => {
    const options = { ratePerMinute: 60, burst: 30 }
    const replicas = [createRedisRates(one, options), createRedisRates(other, options)]
    const agent = `together-${one.replica}`
    const turns = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => replicas[n % 2]?.take(agent)),
    )
    const granted = turns.filter((turn) => turn?.ok).length
    expect(granted).toBeGreaterThanOrEqual(30)
    expect(granted).toBeLessThanOrEqual(31)
  })

  it('hold for the traces service as well', async () => {
    const never = { take: () => 0 }
    const [a, b] = [createRedisRateLimits(one, never), createRedisRateLimits(other, never)]
    const rate = { capacity: 2, perMs: 60_000 }
    const name = `write:${one.replica}`
    expect([await a.take(name, rate), await b.take(name, rate)]).toEqual([0, 0])
    expect(await b.take(name, rate)).toBe(30)
    expect(await a.take(name, rate)).toBe(30)
  })

  it('go on from what this replica let through when Redis is gone', async () => {
    const gone = await openReadyRedis(inject('redisUrl'))
    const rates = createRedisRates(gone, { ratePerMinute: 60, burst: 4 })
    const agent = `alone-${one.replica}`
    const take = async () => (await rates?.take(agent))?.ok
    expect([await take(), await take(), await take()]).toEqual([true, true, true])
    gone.close()
    expect([await take(), await take()]).toEqual([true, false])
  })
})
