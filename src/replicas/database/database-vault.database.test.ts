import { expect, it } from 'vitest'
import { openReplicas, openTestDatabase } from '../../../test/support/open-test-database.ts'
import { testVault } from '../../../test/support/test-vault.ts'
import { createDatabaseVault } from './database-vault.ts'
import { sealFromEnvironment } from '../../identity/vault/seal.ts'

testVault('PostgreSQL', {
  async open() {
    const [one, two] = await openReplicas(2)
    if (!one || !two) throw new Error('Two replicas were asked for')
    return [one.vault, two.vault]
  },
})

it('keeps secrets sealed where the replicas have a key for it', async () => {
  const database = await openTestDatabase({ PORTOLAN_SECRET_KEY: 'correct horse' })
  const { storage } = database
  await database.vault.record<{ token: string }>('sign-in.a').update({ token: 'very-secret' })
  const rows = await storage.db.selectFrom('secrets').selectAll().execute()
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain('very-secret')
  for (const { value } of rows) expect(value).toMatch(/^sealed2:/)
})

it('does not open the record of one person under the name of another', async () => {
  const database = await openTestDatabase({ PORTOLAN_SECRET_KEY: 'correct horse' })
  const { db } = database.storage
  await database.vault.record<{ token: string }>('sign-in.a').update({ token: 'of-ada' })
  const row = await db
    .selectFrom('secrets')
    .selectAll()
    .where('name', 'like', '%sign-in.a')
    .execute()
  await db
    .insertInto('secrets')
    .values(row.map((one) => ({ ...one, name: 'vault:sign-in.b' })))
    .execute()
  await expect(database.vault.record('sign-in.b').read()).rejects.toThrow('cannot be read')
  expect(await database.vault.record('sign-in.a').read()).toEqual({ token: 'of-ada' })
})

const seal = (PORTOLAN_SECRET_KEY?: string) => sealFromEnvironment({ PORTOLAN_SECRET_KEY })

it('says what is wrong with the key instead of failing somewhere else', () => {
  const sealed = seal('one').close('text', 'name')
  expect(seal('one').open(sealed, 'name')).toBe('text')
  expect(() => seal('two').open(sealed, 'name')).toThrow(/the key is another one/)
  expect(() => seal().open(sealed, 'name')).toThrow(/there is no key/)
})

it('gives every replica the same secret to sign handles with', async () => {
  const [one, two, three] = await openReplicas(3)
  expect(one?.handleSecret).toHaveLength(32)
  expect(two?.handleSecret).toEqual(one?.handleSecret)
  expect(three?.handleSecret).toEqual(one?.handleSecret)
})

it('a failure of exclusive work is not taken for one of the database', async () => {
  const { vault } = await openTestDatabase()
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
  })
  const work = vault.record('sign-in.a').exclusively(async () => {
    throw refused
  })
  await expect(work).rejects.toBe(refused)
})

it('seals a record again with a new key, but none that is removed meanwhile', async () => {
  const database = await openTestDatabase({ PORTOLAN_SECRET_KEY: 'two' })
  const { storage } = database
  const listening = { on: () => () => {}, state: { kind: 'live', since: 0 } } as const
  const old = createDatabaseVault({ storage, listening, seal: seal('one') })
  const keys = { PORTOLAN_SECRET_KEY: 'two', PORTOLAN_SECRET_KEY_PREVIOUS: 'one' }
  const both = createDatabaseVault({ storage, listening, seal: sealFromEnvironment(keys) })
  await old.record('kept').update({ token: 'x' })
  expect(await both.record('kept').read()).toEqual({ token: 'x' })
  expect(await database.vault.record('kept').read()).toEqual({ token: 'x' })
  for (let round = 0; round < 20; round++) {
    const name = `sign-in.${round}`
    await old.record(name).update({ token: 'x' })
    await Promise.all([both.record(name).read(), both.record(name).remove()])
  }
  expect(await both.names('')).toEqual(['kept'])
})
