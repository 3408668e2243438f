import { openRedis } from '../../src/replicas/redis/open-redis.ts'
import type { RedisClient } from '../../src/replicas/redis/redis-client.ts'

/**
 * Opens a client whose Redis has answered and whose bus is subscribed. The timeout is long, because
 * on two shared cores Redis itself may have to wait.
 */
export async function openReadyRedis(url: string, answerMs = 2000): Promise<RedisClient> {
  const client = openRedis(url, answerMs)
  await untilReady(client)
  return client
}

export async function untilReady(client: RedisClient): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 5) {
    if (client.state.up && client.bus.subscribed) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('Redis did not answer within a minute')
}
