import { expect, it, onTestFinished } from 'vitest'
import { untilReady } from '../../../test/support/open-ready-redis.ts'
import { startRedis } from '../../../test/support/redis.ts'
import { testNamesNotices, testNamesStore } from '../../../test/support/test-names-store.ts'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import { openRedis } from './open-redis.ts'
import { createRedisNames } from './redis-names.ts'

const clients = await twoReplicas()
const open = async (source: string) =>
  [createRedisNames(clients[0], source), createRedisNames(clients[1], source)] as const

testNamesStore('Redis', { open })
testNamesNotices('Redis', { open })

it('a Redis that does not answer has nothing to say, and tells when it is back, empty', async () => {
  const redis = await startRedis({ ownOnly: true })
  onTestFinished(async () => redis.stop())
  const client = openRedis(redis.url, 2000)
  onTestFinished(() => client.close())
  const names = createRedisNames(client, 'source')
  // Asked before it was reached: the first answer is waited for.
  await expect.poll(async () => names.read()).toBe('')
  await untilReady(client)
  expect(await names.replace('', 'text')).toBe(true)
  let notified = 0
  names.onChange?.(() => notified++)
  await redis.kill()
  await expect.poll(() => client.state.up).toBe(false)
  expect([await names.read(), await names.replace('text', 'more')]).toEqual([undefined, false])
  const before = notified
  await redis.start()
  await expect.poll(() => notified).toBeGreaterThan(before)
  await untilReady(client)
  expect(await names.read()).toBe('')
})
