import type { CallRelay } from '../../fronts/call-relay.ts'
import type { SessionRelay, SessionMessage } from '../../fronts/session-relay.ts'
import type { Hints } from '../../gateway/layers/breaker.ts'
import type { RateLimits, RateLimitOptions } from '../../gateway/state/rate-limits.ts'
import type { ResultCacheOptions } from '../../gateway/state/result-cache.ts'
import type { Results } from '../../gateway/state/results.ts'
import type { SuspendedLimits, SuspendedStore } from '../../storage/shared/suspended-scripts.ts'
import type { RedisClient } from './redis-client.ts'
import { createRedisRates } from './redis-rates.ts'
import { createRedisRelay } from './redis-relay.ts'
import { RedisResults } from './redis-results.ts'
import { createRedisSuspended } from './redis-suspended.ts'
import type { RedisBus } from './redis-bus.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { MAX_SESSION_MS } from '../../fronts/session-ids.ts'

/** The gateway's interfaces on one Redis; a process without Redis never loads this folder. */
export interface SharedRedis {
  readonly client: RedisClient
  hints(): Hints
  rates(options: RateLimitOptions): RateLimits | undefined
  results(options: ResultCacheOptions): Results
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

const CIRCUITS = 'circuits'

/** Tells the other replicas when a server fails here, and when it works again. */
export function createRedisHints(bus: RedisBus): Hints {
  let listener: Parameters<Hints['subscribe']>[0] | undefined
  bus.subscribe(CIRCUITS, ({ upstream, state }) => {
    if (typeof upstream === 'string' && (state === 'open' || state === 'closed'))
      listener?.(upstream, state)
  })
  return {
    report: (upstream, state) => void bus.publish(CIRCUITS, { upstream, state }),
    subscribe: (next) => (listener = next),
  }
}

/** Connects the replicas that serve one session. Redis holds no session, only which have ended. */
function createRedisSessions(client: RedisClient): SessionRelay {
  const ended = (key: string) => client.key('ended-session', key)
  return {
    publish: (key, content) => void client.bus.publish(`session:${key}`, { content }),
    subscribe: (key, listener) =>
      client.bus.subscribe(`session:${key}`, ({ content }) => {
        const message = toMessage(content)
        if (message) listener(message)
      }),
    async end(key) {
      await client.ask(async (redis) => redis.set(ended(key), '', 'PX', MAX_SESSION_MS))
    },
    // Without Redis a session that has ended may begin again, but only for its owner.
    hasEnded: async (key) => (await client.ask(async (redis) => redis.exists(ended(key)))) === 1,
  }
}

function toMessage(value: unknown): SessionMessage | undefined {
  const content: JsonObject = isObject(value) ? value : {}
  const { kind, message, text } = content
  if (kind === 'message' && isObject(message)) return { kind, message }
  if (kind === 'say' && typeof text === 'string') return { kind, text }
  return kind === 'join' || kind === 'stream' || kind === 'end' ? { kind } : undefined
}
