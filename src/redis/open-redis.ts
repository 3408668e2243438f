import { Redis } from 'ioredis'

/** A connection that comes back by itself; commands fail at once while it is gone. */
export function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1000),
  })
  // Without a listener an error would end the process; the state is read from `status`.
  redis.on('error', () => undefined)
  return redis
}
