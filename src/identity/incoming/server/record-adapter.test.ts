import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { createRecordAdapter } from './record-adapter.ts'

const DAY_MS = 86_400_000

/** Records with a clock, and how often those who remember tokens were notified of a change. */
async function someRecords() {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const clock = { now: 10 * DAY_MS }
  const notified = { times: 0 }
  const adapter = createRecordAdapter(storage, {
    alreadyUsed: () => new Error('used'),
    onRevoked: async () => void (notified.times += 1),
    now: () => clock.now,
  })
  const rows = async () => storage.db.selectFrom('oauth_records').selectAll().execute()
  return { adapter, clock, notified, rows }
}

it('a token is good until it ends, and what has no end stays', async () => {
  const { adapter, clock } = await someRecords()
  await adapter('AccessToken').upsert('token', { accountId: 'a' }, 60)
  await adapter('Session').upsert('endless', { accountId: 'a' }, 0)
  clock.now += 59_999
  expect(await adapter('AccessToken').find('token')).toEqual({ jti: 'token', accountId: 'a' })
  clock.now += 1
  expect(await adapter('AccessToken').find('token')).toBeUndefined()
  clock.now += 1_000 * DAY_MS
  expect(await adapter('Session').find('endless')).toEqual({ jti: 'endless', accountId: 'a' })
})

it('is kept as a hash where it is a credential, and as it is otherwise', async () => {
  const { adapter, rows } = await someRecords()
  await adapter('AccessToken').upsert('secret-1', { jti: 'secret-1', grantId: 'g', uid: 'u' }, 60)
  await adapter('Interaction').upsert('visit-1', { jti: 'visit-1' }, 60)
  const [token, visit] = await rows()
  expect(JSON.stringify(token)).not.toContain('secret-1')
  expect(token).toMatchObject({ grant_id: 'g', uid: 'u' })
  expect(visit).toMatchObject({ id: 'visit-1', grant_id: null, uid: null })
  expect(await adapter('Interaction').find('visit-1')).toEqual({ jti: 'visit-1' })
  expect(await adapter('AccessToken').findByUid('u')).toEqual({ grantId: 'g', uid: 'u' })
  expect(await adapter('AccessToken').findByUid('v')).toBeUndefined()
})

it('a code is used once, and says when', async () => {
  const { adapter, clock } = await someRecords()
  const codes = adapter('AuthorizationCode')
  await codes.upsert('code', { grantId: 'g' }, 60)
  expect(await codes.find('code')).toEqual({ jti: 'code', grantId: 'g' })
  clock.now += 1_500
  await codes.consume('code')
  expect(await codes.find('code')).toEqual({
    jti: 'code',
    grantId: 'g',
    consumed: (10 * DAY_MS) / 1_000 + 1,
  })
  await expect(codes.consume('code')).rejects.toThrow('used')
})

it('those who remember tokens are notified when tokens or grants end, and of nothing else', async () => {
  const { adapter, notified } = await someRecords()
  for (const kind of ['AccessToken', 'Grant']) {
    notified.times = 0
    await adapter(kind).destroy('one')
    expect(notified.times).toBe(1)
    await adapter(kind).revokeByGrantId('g')
    expect(notified.times).toBe(2)
  }
  await adapter('Interaction').destroy('one')
  await adapter('RefreshToken').revokeByGrantId('g')
  expect(notified.times).toBe(2)
})

it('a client lives a day, and ninety once tokens were made for it: no visit is enough', async () => {
  const { adapter, clock } = await someRecords()
  const clients = adapter('Client')
  for (const id of ['visited', 'granted']) await clients.upsert(id, { client_id: id }, 1)
  await adapter('Interaction').upsert('visit', { clientId: 'visited' }, 60)
  await adapter('Grant').upsert('grant', { clientId: 'granted' }, 60)
  await adapter('Grant').upsert('nobody', { accountId: 'a' }, 60)
  clock.now += DAY_MS - 1
  expect(await clients.find('visited')).toMatchObject({ client_id: 'visited' })
  clock.now += 1
  expect(await clients.find('visited')).toBeUndefined()
  clock.now += 89 * DAY_MS - 1
  expect(await clients.find('granted')).toMatchObject({ client_id: 'granted' })
  clock.now += 1
  expect(await clients.find('granted')).toBeUndefined()
})

it('a client lives as long as a token of it', async () => {
  const { adapter, clock } = await someRecords()
  await adapter('Client').upsert('c', { client_id: 'c' }, 1)
  await adapter('RefreshToken').upsert('token', { clientId: 'c', grantId: 'g' }, 365 * 86_400)
  clock.now += 364 * DAY_MS
  expect(await adapter('Client').find('c')).toMatchObject({ client_id: 'c' })
})

it('what is over is swept once an hour', async () => {
  const { adapter, clock, rows } = await someRecords()
  const tokens = adapter('AccessToken')
  await tokens.upsert('one', {}, 60)
  clock.now += 3_600_000 - 1
  await tokens.upsert('two', {}, 60)
  expect(await rows()).toHaveLength(2)
  clock.now += 1
  await tokens.upsert('three', {}, 60)
  expect(await rows()).toHaveLength(2)
})
