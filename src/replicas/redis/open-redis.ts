import { Redis } from 'ioredis'
import { RedisClient } from './redis-client.ts'

/** A connection that comes back by itself; nobody waits for it while it is gone. */
export function openRedis(url: string, answerMs = 50): RedisClient {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    // A server that does not answer: the connection is closed, and another is opened.
    socketTimeout: 5000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1000),
  })
  return new RedisClient(redis, answerMs)
}
