import type { Environment } from '../base/environment.ts'
import { sharedServicesFrom } from '../config/shared-services.ts'
import type { DatabaseHealth, SharedDatabase } from '../replicas/database/open-database.ts'
import type { SharedRedis } from '../replicas/redis/shared-redis.ts'
import type { Storage } from '../storage/storage.ts'

/** What replicas have in common: PostgreSQL for what lasts, Redis for what is soon forgotten. */
export interface Shared {
  readonly storage: Storage | undefined
  /** What is kept in PostgreSQL, each behind the port of the embedded one. */
  readonly database: SharedDatabase | undefined
  readonly redis: SharedRedis | undefined
  /** How the engines are doing; undefined for one that is not used. */
  health(): SharedHealth
  close(): Promise<void>
}

export interface SharedHealth {
  readonly database: DatabaseHealth | undefined
}

/** One process by itself: everything is in its memory and in its data folder. */
export const ALONE: Shared = {
  storage: undefined,
  database: undefined,
  redis: undefined,
  health: () => ({ database: undefined }),
  close: async () => {},
}

/** Opens the services that the environment names; their drivers are loaded only then. */
export async function openShared(env: Environment): Promise<Shared> {
  const { databaseUrl, redisUrl } = sharedServicesFrom(env)
  if (!databaseUrl && !redisUrl) return ALONE
  const database = databaseUrl
    ? await (await import('../replicas/database/open-database.ts')).openDatabase(databaseUrl, env)
    : undefined
  const redis = await openSharedRedis(env)
  return {
    storage: database?.storage,
    database,
    redis,
    health: () => ({ database: database?.health() }),
    async close() {
      redis?.client.close()
      await database?.close()
    },
  }
}

/** The Redis that the environment names, if any. */
export async function openSharedRedis(env: Environment): Promise<SharedRedis | undefined> {
  const { redisUrl, redisTimeoutMs } = sharedServicesFrom(env)
  if (redisUrl === undefined) return undefined
  const [{ openRedis }, { createSharedRedis }] = await Promise.all([
    import('../replicas/redis/open-redis.ts'),
    import('../replicas/redis/shared-redis.ts'),
  ])
  return createSharedRedis(openRedis(redisUrl, redisTimeoutMs))
}
