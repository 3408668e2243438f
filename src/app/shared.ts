import type { Redis } from 'ioredis'
import type { Storage } from '../storage/storage.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What replicas have in common: PostgreSQL for what lasts, Redis for what is soon forgotten. */
export interface Shared {
  readonly storage: Storage | undefined
  readonly redis: Redis | undefined
  close(): Promise<void>
}

/** One process by itself: everything is in its memory and in its data folder. */
export const ALONE: Shared = { storage: undefined, redis: undefined, close: async () => {} }

/** Opens what DATABASE_URL and REDIS_URL name; their drivers are loaded only then. */
export async function openShared(env: Env): Promise<Shared> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = env
  if (!databaseUrl && !redisUrl) return ALONE
  const storage = databaseUrl
    ? await (await import('../storage/open-storage.ts')).openStorage({ home: '', databaseUrl })
    : undefined
  const redis = redisUrl ? (await import('../redis/open-redis.ts')).openRedis(redisUrl) : undefined
  return {
    storage,
    redis,
    async close() {
      redis?.disconnect()
      await storage?.close()
    },
  }
}
