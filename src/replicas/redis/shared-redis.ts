import type { CallRelay } from '../../fronts/call-relay.ts'
import type { SessionRelay } from '../../fronts/session-relay.ts'
import type { Hints } from '../../gateway/layers/breaker.ts'
import type { RateLimits, RateLimitOptions } from '../../gateway/state/rate-limits.ts'
import type { Results } from '../../gateway/state/results.ts'
import type { SuspendedLimits, SuspendedStore } from '../../storage/shared/suspended-scripts.ts'
import type { RedisClient } from './redis-client.ts'
import { createRedisHints } from './redis-hints.ts'
import { createRedisRates } from './redis-rates.ts'
import { createRedisRelay } from './redis-relay.ts'
import { RedisResults, type RedisResultsOptions } from './redis-results.ts'
import { createRedisSessions } from './redis-sessions.ts'
import { createRedisSuspended } from './redis-suspended.ts'

/** The gateway's interfaces on one Redis; a process without Redis never loads this folder. */
export interface SharedRedis {
  readonly client: RedisClient
  hints(): Hints
  rates(options: RateLimitOptions): RateLimits | undefined
  results(options: RedisResultsOptions): Results
  sessions(): SessionRelay
  relay(): CallRelay
  suspended(limits: SuspendedLimits): SuspendedStore
}

export function createSharedRedis(client: RedisClient): SharedRedis {
  // Shared by all users, because a replica has one channel.
  let relay: CallRelay | undefined
  return {
    client,
    hints: () => createRedisHints(client.bus),
    rates: (options) => createRedisRates(client, options),
    results: (options) => new RedisResults(client, options),
    sessions: () => createRedisSessions(client),
    relay: () => (relay ??= createRedisRelay(client)),
    suspended: (limits) => createRedisSuspended(client, limits),
  }
}
