import { afterAll, inject } from 'vitest'
import type { RedisClient } from '../../src/replicas/redis/redis-client.ts'
import { openReadyRedis } from './open-ready-redis.ts'

/** Opens Redis clients of two replicas, which are closed at the end of the file. */
export async function twoReplicas(): Promise<readonly [one: RedisClient, other: RedisClient]> {
  const url = inject('redisUrl')
  const clients = [await openReadyRedis(url), await openReadyRedis(url)] as const
  afterAll(() => {
    for (const client of clients) client.close()
  })
  return clients
}
