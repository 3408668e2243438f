import type { DatabaseHealth, SharedDatabase } from '../database/open-database.ts'
import type { SharedRedis } from '../redis/shared-redis.ts'
import type { Storage } from '../storage/storage.ts'

type Env = Readonly<Record<string, string | undefined>>

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

/** Opens what DATABASE_URL and REDIS_URL name; their drivers are loaded only then. */
export async function openShared(env: Env): Promise<Shared> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env
  if (!databaseUrl && !redisUrl) return ALONE
  const database = databaseUrl
    ? await (await import('../database/open-database.ts')).openDatabase(databaseUrl, env)
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

/** What REDIS_URL names, if anything. */
export async function openSharedRedis({
  REDIS_URL: url,
  REDIS_TIMEOUT_MS: patience,
}: Env): Promise<SharedRedis | undefined> {
  if (!url) return undefined
  const [{ openRedis }, { createSharedRedis }] = await Promise.all([
    import('../redis/open-redis.ts'),
    import('../redis/shared-redis.ts'),
  ])
  const answerMs = Number(patience)
  return createSharedRedis(openRedis(url, answerMs > 0 ? answerMs : undefined))
}
