import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { ListeningState } from '../../storage/engines/listen-postgres.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { createDatabaseKeyStore } from './database-key-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const GRACE_MS = 600_000

/** The keys of a replica, in a database that the test can take away, and another replica beside it. */
async function aReplica() {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const database = { queries: 0, answer: async (): Promise<void> => undefined }
  const db = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      database.queries += 1
      await database.answer()
      return result
    },
  })
  let tell: ((id: string | undefined) => void) | undefined
  const listening: { kind: ListeningState['kind'] } = { kind: 'live' }
  const options = {
    storage: { ...storage, db },
    listening: {
      on: (topic: string, listener: (id: string | undefined) => void) => {
        if (topic === 'keys') tell = listener
        return () => undefined
      },
      onLive: () => () => undefined,
      get state() {
        return { kind: listening.kind, since: 0 }
      },
      close: async () => undefined,
    },
    graceMs: GRACE_MS,
  }
  const keys = createDatabaseKeyStore(options)
  const notice = tell
  const other = createDatabaseKeyStore({ ...options, storage })
  return { keys, other, database, listening, notice: (id: string | undefined) => notice?.(id) }
}

type Replica = Awaited<ReturnType<typeof aReplica>>

/** One whose agent `ada` has called a moment ago. */
async function inUse() {
  const replica = await aReplica()
  const { key, secret } = await replica.other.create('ada')
  await replica.keys.find(secret)
  expect(replica.database.queries).toBe(1)
  return { ...replica, id: key.id, secret }
}

const refused = async () =>
  Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))

const isRevoked = async ({ keys }: Replica, secret: string) =>
  (await keys.find(secret))?.revokedAt !== undefined

describe('a key of the database', () => {
  it('is asked for once, and answered at once from then on, to its own secret only', async () => {
    const { keys, other, database, secret, id } = await inUse()
    expect(keys.find(secret)).toMatchObject({ id, agent: 'ada' })
    const near = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
    expect(keys.find(near)).toBeUndefined()
    expect(keys.find(secret), 'a wrong secret changes nothing').toMatchObject({ id })
    expect(keys.byId(id)).toMatchObject({ agent: 'ada' })
    expect(keys.find('ptk_short')).toBeUndefined()
    expect(database.queries).toBe(1)
    const bob = await other.create('bob')
    expect(await keys.find(bob.secret)).toMatchObject({ agent: 'bob' })
    expect(database.queries).toBe(2)
  })

  it('costs one query however many calls ask for it at once', async () => {
    const { keys, other, database } = await aReplica()
    const { secret } = await other.create('ada')
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
    const found = await Promise.all([keys.find(secret), keys.find(wrong), keys.find(secret)])
    expect(found.map((key) => key?.agent)).toEqual(['ada', undefined, 'ada'])
    expect(database.queries).toBe(1)
  })

  it.each([
    ['live', 30_000],
    ['lost', 500],
    ['no_notices', 500],
  ] as const)('is believed, while notices are %s, for %i ms', async (kind, believedMs) => {
    const replica = await inUse()
    replica.listening.kind = kind
    await replica.other.revoke(replica.id)
    vi.setSystemTime(Date.now() + believedMs - 1)
    expect(await isRevoked(replica, replica.secret)).toBe(false)
    vi.setSystemTime(Date.now() + 1)
    expect(await isRevoked(replica, replica.secret)).toBe(true)
  })

  it('is asked for again after a notice of it, and not after one of another key', async () => {
    const replica = await inUse()
    await replica.other.revoke(replica.id)
    replica.notice('0123456789ab')
    expect(await isRevoked(replica, replica.secret)).toBe(false)
    replica.notice(replica.id)
    expect(await isRevoked(replica, replica.secret)).toBe(true)
  })

  it('is asked for again when notices may have been missed', async () => {
    const replica = await inUse()
    await replica.other.revoke(replica.id)
    vi.setSystemTime(Date.now() + 1)
    replica.notice(undefined)
    expect(await isRevoked(replica, replica.secret)).toBe(true)
    expect(replica.database.queries).toBe(2)
    expect(replica.keys.find(replica.secret)).not.toBeInstanceOf(Promise)
    expect(replica.database.queries).toBe(2)
  })

  it('is not remembered where a notice of it came while the database was asked', async () => {
    const replica = await aReplica()
    const { key, secret } = await replica.other.create('ada')
    const answered = deferred<void>()
    replica.database.answer = async () => answered.promise
    const before = replica.keys.find(secret)
    await vi.waitFor(() => expect(replica.database.queries).toBe(1))
    await replica.other.revoke(key.id)
    replica.notice(key.id)
    answered.resolve()
    expect(await before).toMatchObject({ revokedAt: undefined })
    expect(await isRevoked(replica, secret)).toBe(true)
  })

  it('ends at once where it is revoked by this replica', async () => {
    const { keys, id, secret } = await inUse()
    const revoked = await keys.revoke(id)
    expect(revoked?.revokedAt).toBe(Date.now())
    expect(await keys.find(secret)).toMatchObject({ revokedAt: revoked?.revokedAt })
  })

  it('that does not exist is asked for once too, until a notice says that it does', async () => {
    const { keys, other, database, notice } = await aReplica()
    const { key, secret } = await other.create('ada')
    const id = 'ffffffffffff'
    const unknown = secret.replace(key.id, id)
    expect(await keys.find(unknown)).toBeUndefined()
    expect([await keys.find(unknown), await keys.byId(id)]).toEqual([undefined, undefined])
    expect(database.queries).toBe(1)
    notice(id)
    await keys.find(unknown)
    expect(database.queries).toBe(2)
  })

  it('keeps its role and its end', async () => {
    const { keys } = await aReplica()
    const admin = await keys.create('ada', { role: 'admin', expiresAt: 2_000_000_000_000 })
    const agent = await keys.create('bob', { role: 'agent' })
    expect(await keys.find(admin.secret)).toMatchObject({
      role: 'admin',
      expiresAt: 2_000_000_000_000,
    })
    expect(await keys.find(agent.secret)).toEqual(agent.key)
    expect(agent.key).not.toHaveProperty('role')
    expect((await keys.list()).map(({ agent: name }) => name).toSorted()).toEqual(['ada', 'bob'])
    expect(await keys.revoke('ffffffffffff')).toBeUndefined()
  })
})

describe('while the database cannot be reached', () => {
  it('a known key works for the grace period, and no longer', async () => {
    const { keys, other, database, secret } = await inUse()
    const { secret: unseen } = await other.create('bob')
    const seenAt = Date.now()
    database.answer = refused
    vi.setSystemTime(seenAt + GRACE_MS - 1)
    expect(await keys.find(secret)).toMatchObject({ agent: 'ada' })
    const near = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
    expect(await keys.find(near)).toBeUndefined()
    await expect(keys.find(unseen)).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      details: { reason: 'database_down' },
    })
    vi.setSystemTime(seenAt + GRACE_MS)
    await expect(keys.find(secret)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    database.answer = async () => undefined
    expect(await keys.find(secret)).toMatchObject({ agent: 'ada' })
  })

  it('the database is not asked for a known key where it is known to be down', async () => {
    const { keys, database, listening, secret } = await inUse()
    database.answer = refused
    listening.kind = 'down'
    const seenAt = Date.now()
    vi.setSystemTime(seenAt + GRACE_MS - 1)
    expect(keys.find(secret)).toMatchObject({ agent: 'ada' })
    expect(database.queries).toBe(1)
    vi.setSystemTime(seenAt + GRACE_MS)
    await expect(keys.find(secret)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  })

  it('a mistake in a query is no outage: nobody gets in because of it', async () => {
    const { keys, database, secret } = await inUse()
    database.answer = async () => Promise.reject(new Error('no such column'))
    vi.setSystemTime(Date.now() + 30_000)
    await expect(keys.find(secret)).rejects.toThrow('no such column')
  })

  it('one that hangs is given three seconds', async () => {
    const { keys, other, database, secret } = await inUse()
    const { secret: unseen } = await other.create('bob')
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    database.answer = async () => new Promise(() => undefined)
    vi.setSystemTime(Date.now() + 30_000)
    let found: unknown
    const known = Promise.resolve(keys.find(secret)).then((key) => (found = key))
    const failure = Promise.resolve(keys.find(unseen)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(2_999)
    expect(found).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(await known).toMatchObject({ agent: 'ada' })
    expect(await failure).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  })
})
