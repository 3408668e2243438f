import { expect, inject, it, onTestFinished } from 'vitest'
import { openReadyRedis } from '../../../test/support/open-ready-redis.ts'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import type { RedisClient } from './redis-client.ts'
import { createRedisSuspended } from './redis-suspended.ts'

const [patient, other] = await twoReplicas()
const LIMITS = { perOwner: 5, rememberMs: 60_000 }

async function aScript(id: string): Promise<void> {
  const now = Date.now()
  await createRedisSuspended(patient, LIMITS).insert({
    id,
    owner: 'ada',
    image: 'image',
    trail: 'trail',
    bytes: 5,
    created_at: now,
    expires_at: now + 60_000,
    resumed_at: null,
  })
}

/** Has Redis answer nobody for a while. */
async function pause(client: RedisClient, ms: number): Promise<void> {
  await client.ask(async (redis) => redis.call('CLIENT', 'PAUSE', ms))
}

it('of two replicas that take a script, one gets it', async () => {
  await aScript('once')
  const taken = await Promise.all(
    [patient, other].map(async (client) =>
      createRedisSuspended(client, LIMITS).take('once', 'ada'),
    ),
  )
  expect(taken.filter((row) => row?.image === 'image')).toHaveLength(1)
})

it('a Redis that answers too late loses no script, and is not the answer that there is none', async () => {
  await aScript('kept')
  const hasty = await openReadyRedis(inject('redisUrl'), 60)
  onTestFinished(() => hasty.close())
  const store = createRedisSuspended(hasty, LIMITS)
  await expect.poll(async () => store.read('kept', 'ada').catch(() => undefined)).toBeDefined()
  await pause(other, 1_500)
  for (const how of ['take', 'read'] as const)
    await expect(store[how]('kept', 'ada')).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  const answers = async () => patient.ask(async (redis) => redis.ping())
  await expect.poll(answers).toBe('PONG')
  expect(await createRedisSuspended(patient, LIMITS).take('kept', 'ada')).toMatchObject({
    image: 'image',
  })
})
