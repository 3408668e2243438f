import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openReadyRedis } from '../../../test/support/open-ready-redis.ts'
import { openReplicas } from '../../../test/support/open-test-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { sealFromEnvironment } from '../../identity/vault/seal.ts'
import { createSharedRedis } from '../../replicas/redis/shared-redis.ts'
import { createLog } from '../../telemetry/log.ts'
import { SealedPlace, type SealedPlaceOptions } from './sealed-place.ts'
import { StoredTasks } from './stored-tasks.ts'

const KEY = { PORTOLAN_SECRET_KEY: 'correct horse' }
const DONE = { status: 'completed', result: { content: [], structuredContent: { secret: 'tea' } } }
const ANOTHER = sealFromEnvironment({ PORTOLAN_SECRET_KEY: 'another' })
const MINUTE_MS = 60_000

type Shared = Partial<Omit<SealedPlaceOptions, 'env'>>

const ENGINES = {
  SQLite: async (): Promise<Shared> => ({ home: tempFolder().path }),
  async PostgreSQL(env: Record<string, string>): Promise<Shared> {
    const [database] = await openReplicas(1, env)
    return { database }
  },
  async Redis(): Promise<Shared> {
    const client = await openReadyRedis(inject('redisUrl'))
    onTestFinished(() => client.close())
    return { redis: createSharedRedis(client) }
  },
}

/** A process of its own over what replicas share. */
function open(shared: Shared, env: Record<string, string> = KEY) {
  const place = new SealedPlace({
    home: '',
    database: undefined,
    redis: undefined,
    ...shared,
    env,
  })
  onTestFinished(async () => place.close())
  return { place, tasks: new StoredTasks(place, createLog({ level: 'error' })) }
}

const record = (state: JsonObject = DONE, ms = MINUTE_MS) => ({
  id: randomUUID(),
  owner: 'ada',
  expiresAt: Date.now() + ms,
  state,
})

describe.each(Object.entries(ENGINES))('what %s has of tasks', (_, engine) => {
  it('is read by any process with the key, for its owner alone, and sealed', async () => {
    const shared = await engine(KEY)
    const [one, two] = [open(shared), open(shared)]
    const put = record()
    await one.tasks.put(put)
    expect(await two.tasks.read(put.id, 'ada')).toEqual(DONE)
    expect(await two.tasks.read(put.id, 'grace')).toBeUndefined()
    expect(await two.tasks.read(randomUUID(), 'ada')).toBeUndefined()
    const { store } = await one.place.open()
    const row = await store.read(`task ${put.id}`, 'tasks of ada')
    expect(row?.image).toMatch(/^sealed2:/)
    const stranger = open(
      { ...shared, ...(shared.database && { database: { ...shared.database, seal: ANOTHER } }) },
      { PORTOLAN_SECRET_KEY: 'another' },
    )
    expect(await stranger.tasks.read(put.id, 'ada')).toBeUndefined()
  })

  it('has its numbers as they were, until its time is over', async () => {
    const { tasks } = open(await engine(KEY))
    const large: unknown = parseExact('{"result":{"id":12345678901234567890}}')
    const put = record(Object(large))
    await tasks.put(put)
    expect(stringifyExact(await tasks.read(put.id, 'ada'))).toBe(
      '{"result":{"id":12345678901234567890}}',
    )
    const over = record(DONE, -1)
    await tasks.put(over)
    expect(await tasks.read(over.id, 'ada')).toBeUndefined()
    const short = record(DONE, 50)
    await tasks.put(short)
    await sleep(100)
    await tasks.put(record())
    expect(await tasks.read(short.id, 'ada')).toBeUndefined()
  })

  it('has neither what is too large, nor what ends with the process', async () => {
    const { tasks } = open(await engine(KEY))
    const huge = record({ status: 'completed', result: randomBytes(5 << 20).toString('base64') })
    await tasks.put(huge)
    expect(await tasks.read(huge.id, 'ada')).toBeUndefined()
    const [before, after] = [record(), record()]
    void tasks.put(before)
    tasks.leave()
    void tasks.put(after)
    await tasks.flush()
    expect(await tasks.read(before.id, 'ada')).toEqual(DONE)
    expect(await tasks.read(after.id, 'ada')).toBeUndefined()
  })
})

it('without a key of replicas nothing is stored', async () => {
  const { tasks } = open(await ENGINES.PostgreSQL({}), {})
  const put = record()
  await tasks.put(put)
  expect(await tasks.read(put.id, 'ada')).toBeUndefined()
})
