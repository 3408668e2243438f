import { Redis } from 'ioredis'
import { RedisClient } from './redis-client.ts'

/** Opens a connection that reconnects by itself; commands fail at once while it is down. */
export function openRedis(url: string, answerMs = 50): RedisClient {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    // If the server does not answer, the connection is closed and another is opened.
    socketTimeout: 5000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1000),
  })
  return new RedisClient(redis, answerMs)
}
