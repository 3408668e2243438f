import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import type { Storage } from '../../../storage/storage.ts'
import { createRecordAdapter } from './record-adapter.ts'

async function open(engine: 'sqlite' | 'postgres'): Promise<Storage> {
  const storage =
    engine === 'sqlite'
      ? await openStorage({ home: tempFolder().path })
      : await openStorage({ home: '', databaseUrl: await createDatabase(inject('postgresUrl')) })
  onTestFinished(async () => storage.close())
  return storage
}

const alreadyUsed = () => new Error('used')

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  it('what one replica writes another finds, until it is over', async () => {
    const storage = await open(engine)
    const clock = { now: 1_000_000 }
    const one = createRecordAdapter(storage, { alreadyUsed, now: () => clock.now })
    const two = createRecordAdapter(storage, { alreadyUsed, now: () => clock.now })
    await one('AccessToken').upsert('pta_secret', { jti: 'pta_secret', accountId: 'a' }, 60)
    expect(await two('AccessToken').find('pta_secret')).toMatchObject({
      jti: 'pta_secret',
      accountId: 'a',
    })
    expect(await two('RefreshToken').find('pta_secret')).toBeUndefined()
    clock.now += 60_000
    expect(await two('AccessToken').find('pta_secret')).toBeUndefined()
  })

  it('keeps no credential as it is', async () => {
    const storage = await open(engine)
    const adapter = createRecordAdapter(storage, { alreadyUsed })
    for (const kind of ['Session', 'AccessToken', 'AuthorizationCode', 'RefreshToken'])
      await adapter(kind).upsert('credential-1', { jti: 'credential-1', accountId: 'a' }, 60)
    const rows = await storage.db.selectFrom('oauth_records').selectAll().execute()
    expect(rows).toHaveLength(4)
    expect(JSON.stringify(rows)).not.toContain('credential-1')
  })

  it('lets one of many who use a code at the same moment have it', async () => {
    const storage = await open(engine)
    const codes = createRecordAdapter(storage, { alreadyUsed })('AuthorizationCode')
    await codes.upsert('code', { grantId: 'g' }, 60)
    const tries = Array.from({ length: 8 }, async () => codes.consume('code'))
    const done = await Promise.allSettled(tries)
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await codes.find('code')).toMatchObject({ consumed: expect.any(Number) })
  })

  it('forgets a client that nobody has agreed to after a day, and one that is used after ninety', async () => {
    const storage = await open(engine)
    const clock = { now: 1_000_000 }
    const adapter = createRecordAdapter(storage, { alreadyUsed, now: () => clock.now })
    const clients = adapter('Client')
    const day = 86_400_000
    await clients.upsert('unused', { client_id: 'unused' })
    await clients.upsert('used', { client_id: 'used' })
    await adapter('Grant').upsert('g', { clientId: 'used', accountId: 'a' }, 60)
    clock.now += day - 1
    expect(await clients.find('unused')).toBeDefined()
    clock.now += 2
    expect(await clients.find('unused')).toBeUndefined()
    clock.now += 80 * day
    expect(await clients.find('used')).toBeDefined()
    await adapter('RefreshToken').upsert('r', { clientId: 'used', grantId: 'g' }, 60)
    clock.now += 80 * day
    expect(await clients.find('used')).toBeDefined()
    clock.now += 11 * day
    expect(await clients.find('used')).toBeUndefined()
  })

  it('ends everything of a grant, and nothing of another', async () => {
    const storage = await open(engine)
    const tokens = createRecordAdapter(storage, { alreadyUsed })('AccessToken')
    await tokens.upsert('one', { grantId: 'g' }, 60)
    await tokens.upsert('two', { grantId: 'h' }, 60)
    await tokens.revokeByGrantId('g')
    expect(await tokens.find('one')).toBeUndefined()
    expect(await tokens.find('two')).toBeDefined()
  })
})
