import type { Pace } from '../../base/flow/bucket.ts'
import type { RedisClient } from './redis-client.ts'
import { defineScript } from './script.ts'

/**
 * A token bucket stored as one number, the time at which it will be full again, by the clock of
 * Redis: a full bucket needs no entry, so the key expires. Returns the milliseconds to wait, or 0.
 */
const TAKE = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = tonumber(redis.call('GET', KEYS[1]) or now)
local next = math.max(full, now) + ARGV[1]
local excess = next - now - ARGV[2] - 0.0005
if excess > 0 then return math.ceil(excess) end
redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.ceil(next - now))
return 0
`)

/** Takes one call from a bucket that all replicas share; undefined if Redis does not answer. */
export async function takeToken(
  client: Pick<RedisClient, 'key' | 'run'>,
  name: string,
  { intervalMs, capacityMs }: Pace,
): Promise<number | undefined> {
  // The size is part of the key: after a reload, an old bucket would otherwise apply for minutes.
  const key = client.key('rate', `${Math.round(intervalMs)}/${Math.round(capacityMs)}`, name)
  const waitMs = await client.run(TAKE, [key], [intervalMs, capacityMs])
  return typeof waitMs === 'number' ? waitMs : undefined
}
