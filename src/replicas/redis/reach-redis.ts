import { Redis } from 'ioredis'

/** Connects to a server once; throws the reason if it does not answer. */
export async function reachRedis(url: string, timeoutMs: number): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let reason: Error | undefined
  // `connect` only says that the connection is closed; the event says why.
  redis.on('error', (error: Error) => (reason = error))
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}
