import { randomBytes } from 'node:crypto'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openReadyRedis } from '../../test/support/open-ready-redis.ts'
import { openReplicas } from '../../test/support/open-test-database.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { sealFromEnvironment } from '../identity/vault/seal.ts'
import { createSharedRedis } from '../replicas/redis/shared-redis.ts'
import type { SuspendedRun } from '../sandbox/messages.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { SuspendedScript } from '../surfaces/scripts/run/suspended-scripts.ts'
import { createLog } from '../telemetry/log.ts'
import { SealedPlace } from './stored/sealed-place.ts'
import { SealedScripts } from './suspended-scripts.ts'

const SECRET = 'read-from-a-tool'
const KEY = { PORTOLAN_SECRET_KEY: 'correct horse' }

const suspended = (): SuspendedRun => ({
  image: {
    wasm: 'abc',
    snapshot: {
      memory: new TextEncoder().encode(`${SECRET} `.repeat(100)),
      stackPointer: 1,
      runtimePtr: 2,
      contextPtr: 3,
      extensions: [],
    },
    tokens: { settle: 1, watch: 2, input: 3, seed: 4 },
    spent: { threadMs: 5, calls: 6, logChars: 7 },
    open: 2,
  },
  answers: [{ id: 1, kind: 'value', text: `"${SECRET}"` }],
  later: [{ id: 2, operation: 'tool', names: '["shop","approve"]', json: '{}' }],
  leftMs: 1234,
})

const ENTRY = { id: 'x-1', server: 'shop', tool: 'price', startedAt: 1, outcome: 'ok' } as const

const script = (): SuspendedScript => ({
  suspended: suspended(),
  memo: {
    source: `// ${SECRET}`,
    wallMs: 60_000,
    maxTokens: undefined,
    plan: false,
    trail: { entries: [ENTRY], planned: [], logs: [SECRET] },
    open: [{ id: 2, entry: 0, inputRequests: { ok: { method: 'elicitation/create' } } }],
    begunBy: 'x-0',
  },
})

/** With memory that cannot be compressed, as of a script that has read a lot. */
function large(): SuspendedScript {
  const { suspended: small, memo } = script()
  const snapshot = { ...small.image.snapshot, memory: randomBytes(17 << 20) }
  return { suspended: { ...small, image: { ...small.image, snapshot } }, memo }
}

const resumedAt = expect.any(Number)
const trail = { entries: [ENTRY], planned: [], logs: [SECRET] }

interface Replica {
  readonly scripts: SealedScripts
  readonly storage: Storage
}

const SETTINGS = { questionMs: 60_000 }

function create(storage: Storage, env: Record<string, string>, settings = SETTINGS): Replica {
  const scripts = new SealedScripts({
    place: new SealedPlace({
      home: '',
      env,
      database: { storage, seal: sealFromEnvironment(env) },
      redis: undefined,
    }),
    settings: () => settings,
    log: createLog({ level: 'error' }),
  })
  return { scripts, storage }
}

const ENGINES = {
  async SQLite(env: Record<string, string>, settings = SETTINGS) {
    const home = tempFolder().path
    const storages = await Promise.all([openStorage({ home }), openStorage({ home })])
    onTestFinished(async () => void (await Promise.all(storages.map(async (one) => one.close()))))
    return storages.map((storage) => create(storage, env, settings))
  },
  async PostgreSQL(env: Record<string, string>, settings = SETTINGS) {
    const databases = await openReplicas(2, env)
    return databases.map(({ storage }) => create(storage, env, settings))
  },
}

/** Two replicas on one new database. */
async function open(
  engine: keyof typeof ENGINES,
  env: Record<string, string> = KEY,
  settings = SETTINGS,
) {
  const [one, two] = await ENGINES[engine](env, settings)
  if (!one || !two) throw new Error('Two replicas were asked for')
  return { one, two }
}

const kept = async ({ scripts }: Replica, owner = 'ada', what = script()): Promise<string> => {
  const state = await scripts.keep(what, owner)
  if (state === undefined) throw new Error('It was not kept')
  return state
}

const NONCE_AND_TAG_BYTES = 28

function inflated(bytes: Buffer): string {
  try {
    return inflateRawSync(bytes).toString('latin1')
  } catch {
    return ''
  }
}

const rowsOf = async ({ storage }: Replica) =>
  storage.db.selectFrom('suspended_scripts').selectAll().execute()

describe.each(['SQLite', 'PostgreSQL'] as const)('suspended scripts in %s', (engine) => {
  it('come back whole on another replica, once, for their owner alone', async () => {
    const { one, two } = await open(engine)
    const state = await kept(one)
    expect(await two.scripts.take(state, 'grace')).toBeUndefined()
    expect(await two.scripts.take(`${state}0`, 'ada')).toBeUndefined()
    expect(await two.scripts.take('portolan-1.2', 'ada')).toBeUndefined()
    const tries = [one, two, one, two, one, two]
    const taken = await Promise.all(tries.map(async (each) => each.scripts.take(state, 'ada')))
    const whole = taken.filter((each) => each && 'memo' in each)
    expect(whole).toEqual([script()])
    const refused = taken.filter((each) => each && 'why' in each)
    expect(refused).toEqual(Array.from({ length: 5 }, () => ({ why: 'resumed', resumedAt, trail })))
    expect((await rowsOf(one)).map(({ image }) => image)).toEqual([null])
  })

  it('of a task are kept under its id each time they ask, and can be looked at', async () => {
    const { one, two } = await open(engine)
    const what = script()
    const asTask = { ...what, memo: { ...what.memo, task: 'task-1' } }
    const state = await kept(one, 'ada', asTask)
    expect(state).toBe('suspended-script.task-1')
    expect(await two.scripts.read(state, 'grace')).toBeUndefined()
    for (const each of [one, two])
      expect(await each.scripts.read(state, 'ada')).toEqual(asTask.memo)
    expect(await two.scripts.take(state, 'ada')).toEqual(asTask)
    expect(await one.scripts.read(state, 'ada')).toEqual({ why: 'resumed', resumedAt, trail })
    expect(await kept(two, 'ada', asTask)).toBe(state)
    expect(await one.scripts.take(state, 'ada')).toEqual(asTask)
    expect(await rowsOf(one)).toHaveLength(1)
  })

  it('are sealed: neither their memory nor their trail can be read without the key', async () => {
    const { one } = await open(engine)
    await kept(one)
    const [row] = await rowsOf(one)
    const image = row?.image ?? ''
    expect(JSON.stringify(row)).not.toContain(SECRET)
    const bytes = Buffer.from(image.replace('sealed2:', ''), 'base64')
    for (const part of [bytes, bytes.subarray(NONCE_AND_TAG_BYTES)])
      expect(inflated(part)).not.toContain(SECRET)
    // The same bytes, opened with the key, have it.
    const name = `suspended script ${row?.id} of ada`
    expect(inflated(sealFromEnvironment(KEY).openBytes(image, name))).toContain(SECRET)
  })

  it('are refused where somebody has changed them, or put one in the place of another', async () => {
    const { one, two } = await open(engine)
    const states = await Promise.all([kept(one), kept(one), kept(one)])
    const rows = await rowsOf(one)
    const [changed, exchanged, untouched] = states.map((state) =>
      rows.find(({ id }) => state.endsWith(id)),
    )
    const image = changed?.image ?? ''
    const at = image.length - 8
    const other = image[at] === 'A' ? 'B' : 'A'
    const images = [
      [changed?.id, image.slice(0, at) + other + image.slice(at + 1)],
      [exchanged?.id, untouched?.image],
    ] as const
    for (const [id, forged] of images)
      await one.storage.db
        .updateTable('suspended_scripts')
        .set({ image: forged ?? '' })
        .where('id', '=', id ?? '')
        .execute()
    const taken = await Promise.all(states.map(async (state) => two.scripts.take(state, 'ada')))
    expect(taken).toEqual([{ why: 'unreadable', trail }, { why: 'unreadable', trail }, script()])
  })

  it('are gone when their time is over, and then only tell what they had done', async () => {
    const settings = { ...SETTINGS, questionMs: 1 }
    const { one, two } = await open(engine, KEY, settings)
    const state = await kept(one)
    await sleep(20)
    expect(await two.scripts.take(state, 'ada')).toEqual({ why: 'late', trail })
    // The image goes with the next script that comes, if it was not gone before.
    settings.questionMs = 60_000
    const next = await kept(two, 'grace')
    const left = (await rowsOf(one)).filter(({ image }) => image !== null)
    expect(left.map(({ id }) => `suspended-script.${id}`)).toEqual([next])
    expect(await two.scripts.take(state, 'ada')).toEqual({ why: 'late', trail })
  })

  it('are not kept without a key, nor where they are too large, and can be removed', async () => {
    const { one } = await open(engine, {})
    expect(await one.scripts.keep(script(), 'ada')).toBeUndefined()
    const { one: plain, two } = await open(engine)
    expect(await plain.scripts.keep(large(), 'ada')).toBeUndefined()
    expect(await rowsOf(plain)).toEqual([])
    const state = await kept(plain)
    await two.scripts.remove(state)
    expect(await rowsOf(plain)).toEqual([])
    expect(await plain.scripts.take(state, 'ada')).toBeUndefined()
  })

  it('of one owner leave room for those of others', async () => {
    const { one } = await open(engine)
    const first = await kept(one)
    const others = await kept(one, 'grace')
    for (let n = 0; n < 100; n += 1) await kept(one)
    expect(await one.scripts.take(first, 'ada')).toBeUndefined()
    expect(await one.scripts.take(others, 'grace')).toEqual(script())
    expect(await rowsOf(one)).toHaveLength(101)
  })
})

/** One more replica. */
async function overRedis(env: Record<string, string>, settings = SETTINGS): Promise<SealedScripts> {
  const client = await openReadyRedis(inject('redisUrl'))
  onTestFinished(() => client.close())
  const log = createLog({ level: 'error' })
  const redis = createSharedRedis(client)
  return new SealedScripts({
    place: new SealedPlace({ home: '', env, database: undefined, redis }),
    settings: () => settings,
    log,
  })
}

describe('suspended scripts of replicas that share a Redis alone', () => {
  it('come back whole on another replica, once, for their owner alone', async () => {
    const [one, two] = await Promise.all([overRedis(KEY), overRedis(KEY)])
    const owner = randomUUID()
    const state = (await one.keep(script(), owner)) ?? ''
    expect(state).toMatch(/^suspended-script\./)
    expect(await two.take(state, 'grace')).toBeUndefined()
    const tries = [one, two, one, two]
    const taken = await Promise.all(tries.map(async (each) => each.take(state, owner)))
    expect(taken.filter((each) => each && 'memo' in each)).toEqual([script()])
    const refused = taken.filter((each) => each && 'why' in each)
    expect(refused).toEqual(Array.from({ length: 3 }, () => ({ why: 'resumed', resumedAt, trail })))
  })

  it('of a task are kept under its id each time they ask, and can be looked at', async () => {
    const [one, two] = await Promise.all([overRedis(KEY), overRedis(KEY)])
    const [owner, task] = [randomUUID(), randomUUID()]
    const what = script()
    const asTask = { ...what, memo: { ...what.memo, task } }
    const state = (await one.keep(asTask, owner)) ?? ''
    expect(await two.read(state, 'grace')).toBeUndefined()
    expect(await two.read(state, owner)).toEqual(asTask.memo)
    expect(await two.take(state, owner)).toEqual(asTask)
    const taken = await one.read(state, owner)
    expect(taken).toEqual({ why: 'resumed', resumedAt, trail })
    await sleep(20)
    expect(await two.read(state, owner), 'the time at which it was taken').toEqual(taken)
    expect(await two.keep(asTask, owner)).toBe(state)
    // The older entry of the same script is not one of those that make room.
    for (let n = 0; n < 99; n += 1) await one.keep(script(), owner)
    expect(await one.take(state, owner)).toEqual(asTask)
  })

  it('expire, can be removed, and are not kept without a key', async () => {
    const owner = randomUUID()
    const late = await overRedis(KEY, { ...SETTINGS, questionMs: 1 })
    const state = (await late.keep(script(), owner)) ?? ''
    await sleep(20)
    expect(await late.take(state, owner)).toEqual({ why: 'late', trail })
    const one = await overRedis(KEY)
    const removed = (await one.keep(script(), owner)) ?? ''
    await one.remove(removed)
    expect(await one.take(removed, owner)).toBeUndefined()
    expect(await (await overRedis({})).keep(script(), owner)).toBeUndefined()
  })

  it('of one owner leave room for others', async () => {
    const one = await overRedis(KEY)
    const owner = randomUUID()
    const first = (await one.keep(script(), owner)) ?? ''
    const second = (await one.keep(script(), owner)) ?? ''
    for (let n = 0; n < 99; n += 1) await one.keep(script(), owner)
    expect(await one.take(first, owner)).toBeUndefined()
    expect(await one.take(second, owner)).toEqual(script())
  })
})
