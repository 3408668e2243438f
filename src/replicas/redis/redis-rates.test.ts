import { expect, it } from 'vitest'
import type { RateLimitOptions } from '../../gateway/state/rate-limits.ts'
import { createRedisRates } from './redis-rates.ts'

/** A Redis that answers as the test says: milliseconds to wait, 0, or nothing at all. */
function ratesWith(options: RateLimitOptions) {
  const redis: { says: number | undefined; asked: string[] } = { says: 0, asked: [] }
  const client = {
    key: (...parts: readonly string[]) => parts.join(':'),
    run: async (_: unknown, keys: readonly string[]) => {
      redis.asked.push(...keys)
      return redis.says
    },
  }
  return { redis, rates: createRedisRates(client, options) }
}

it('goes by what Redis says of all replicas, each agent by itself', async () => {
  const { redis, rates } = ratesWith({ ratePerMinute: 60, burst: 3 })
  for (let n = 0; n < 10; n++) expect(await rates?.take('ada')).toEqual({ ok: true })
  redis.says = 1_500
  expect(await rates?.take('ada')).toEqual({ ok: false, retryAfterMs: 1_500 })
  await rates?.take('bob')
  expect(new Set(redis.asked)).toEqual(
    new Set(['rate:1000/3000:agent:ada', 'rate:1000/3000:agent:bob']),
  )
})

it('goes on from what it has let through itself when Redis cannot say', async () => {
  const { redis, rates } = ratesWith({ ratePerMinute: 60, burst: 2 })
  await rates?.take('ada')
  redis.says = undefined
  expect(await rates?.take('ada')).toEqual({ ok: true })
  expect(await rates?.take('ada')).toMatchObject({ ok: false })
  expect(await rates?.take('bob')).toEqual({ ok: true })
})

it('asks Redis nothing about an agent without a limit, and is none where nobody has one', async () => {
  const { redis, rates } = ratesWith({ ratePerMinute: 60, agents: { free: {} } })
  expect(await rates?.take('free')).toEqual({ ok: true })
  expect(redis.asked).toEqual([])
  expect(ratesWith({}).rates).toBeUndefined()
})
