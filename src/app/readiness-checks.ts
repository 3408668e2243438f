import type { ReloadStatus } from '../config/reloader.ts'
import type { RedisClient } from '../replicas/redis/redis-client.ts'
import type { Leaving } from './leaving.ts'
import type { Check } from './readiness.ts'
import type { Shared } from './shared.ts'
import type { Storage } from '../storage/storage.ts'

/** Probes come from many sides at once; a database need not be asked as often. */
const ASK_EVERY_MS = 500

/** What `/ready` looks at: ourselves, and what replicas share. */
export function readinessChecks(
  shared: Shared,
  leaving: Leaving,
  reload: () => ReloadStatus,
): Check[] {
  const { storage, redis } = shared
  return [
    {
      name: 'serving',
      required: true,
      since: () => leaving.since,
      probe() {
        if (leaving.phase !== 'serving') throw new Error('shutting down')
      },
    },
    {
      name: 'config',
      required: false,
      probe() {
        const bad = Object.entries(reload()).filter(([, { last_error }]) => last_error !== null)
        if (bad.length === 0) return
        const names = bad.map(([name]) => name).join(', ')
        throw new Error(
          `the last reload found mistakes in ${names}; the content before it is in use`,
        )
      },
    },
    ...(storage ? [databaseCheck(storage, () => shared.health())] : []),
    ...(redis ? [redisCheck(redis.client)] : []),
  ]
}

/**
 * Without the database known keys go on working and servers can be called. Were it required, all
 * replicas would be taken out at the same moment, and nothing would be served at all.
 */
function databaseCheck(storage: Storage, health: Shared['health']): Check {
  return {
    name: 'database',
    required: false,
    since: () => {
      const { database } = health()
      return database?.state === 'ok' ? undefined : database?.since
    },
    probe: seldom(async () => {
      await storage.ping()
      const { database } = health()
      if (database?.state === 'deaf') throw new Error(database.error)
    }),
  }
}

/** Redis gone is no reason to send nobody here: limits and the cache are local until it is back. */
function redisCheck(redis: RedisClient): Check {
  return {
    name: 'redis',
    required: false,
    since: () => (redis.state.up ? undefined : redis.state.since),
    probe() {
      if (!redis.state.up) throw new Error('not connected')
    },
  }
}

function seldom(probe: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly answer: Promise<void> } | undefined
  return async () => {
    if (last === undefined || Date.now() - last.at > ASK_EVERY_MS)
      last = { at: Date.now(), answer: probe() }
    return last.answer
  }
}
