import type { RedisClient } from './redis-client.ts'
import { takeToken } from './take-token.ts'

/** The rate limits of the traces service; `take` returns the seconds to wait, or 0. */
interface RateLimits {
  take(
    name: string,
    rate: { readonly capacity: number; readonly perMs: number },
  ): number | Promise<number>
}

interface SharedRateLimits extends RateLimits {
  readonly state: 'ok' | 'unavailable'
}

/** Limits over all replicas, or those of this process while Redis is down. */
export function createRedisRateLimits(client: RedisClient, local: RateLimits): SharedRateLimits {
  return {
    get state() {
      return client.state.up ? 'ok' : 'unavailable'
    },
    async take(name, rate) {
      const pace = { intervalMs: rate.perMs / rate.capacity, capacityMs: rate.perMs }
      const waitMs = await takeToken(client, `traces:${name}`, pace)
      if (waitMs !== undefined && waitMs > 0) return Math.max(1, Math.ceil(waitMs / 1000))
      const seconds = await local.take(name, rate)
      return waitMs === 0 ? 0 : seconds
    },
  }
}
