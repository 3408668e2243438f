import {
  type RateLimits,
  type RateLimitOptions,
  createPaces,
  createRateLimits,
} from '../../gateway/state/rate-limits.ts'
import type { RedisClient } from './redis-client.ts'
import { takeToken } from './take-token.ts'

/**
 * The rates of agents over all replicas. What Redis grants is charged locally too, so that if Redis
 * fails each replica continues from the calls that it admitted itself.
 */
export function createRedisRates(
  client: Pick<RedisClient, 'key' | 'run'>,
  options: RateLimitOptions,
): RateLimits | undefined {
  const local = createRateLimits(options)
  const paceOf = createPaces(options)
  if (!local || !paceOf) return undefined
  return {
    async take(agent, line = agent) {
      const pace = paceOf(agent)
      if (pace === undefined) return { ok: true }
      const waitMs = await takeToken(client, `agent:${line}`, pace)
      if (waitMs !== undefined && waitMs > 0) return { ok: false, retryAfterMs: waitMs }
      const turn = await local.take(agent, line)
      return waitMs === 0 ? { ok: true } : turn
    },
  }
}
