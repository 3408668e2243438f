import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { createFileKeyStore } from '../../file-key-store.ts'
import { accountIdOf, createAccounts } from './accounts.ts'
import { createProofs } from './proofs.ts'
import { createUsers } from './users.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function anInstallation() {
  const folder = tempFolder()
  const storage = await openStorage({ home: folder.path })
  onTestFinished(async () => storage.close())
  const keys = createFileKeyStore(folder.file('keys.json'))
  const users = createUsers(storage)
  return {
    keys,
    users,
    accounts: createAccounts(storage, { keys, users }),
    proofs: createProofs({ keys, users }),
  }
}

const byKey = (key: string) => new URLSearchParams({ action: 'key', key })
const byPassword = (user: string, password: string) =>
  new URLSearchParams({ action: 'password', user, password })

const ADA = { name: 'ada', groups: ['staff'], role: 'viewer' } as const
const DAY_MS = 86_400_000

/** Real hashes take their time, and here it is only counted how often one is asked for. */
const withoutHash = async (name: string, password: string) =>
  password === 'correct horse' ? { ...ADA, name, createdAt: 0 } : undefined

describe('a person proves who they are', () => {
  it('by a key that is good, and by nothing near it', async () => {
    const { keys, proofs } = await anInstallation()
    const { key, secret } = await keys.create('bot', { expiresAt: Date.now() + 1_000 })
    expect(await proofs.prove(byKey(` ${secret} `))).toEqual({
      agent: 'bot',
      key: key.id,
      source: 'key',
    })
    const wrong = 'This key is not known here, has expired or was revoked.'
    expect(await proofs.prove(byKey(`${secret}x`))).toBe(wrong)
    expect(await proofs.prove(new URLSearchParams())).toBe(wrong)
    vi.setSystemTime(Date.now() + 1_000)
    expect(await proofs.prove(byKey(secret)), 'it has expired').toBe(wrong)
    const other = await keys.create('bot')
    expect(await proofs.prove(byKey(other.secret))).toMatchObject({ agent: 'bot' })
    await keys.revoke(other.key.id)
    expect(await proofs.prove(byKey(other.secret))).toBe(wrong)
  })

  it('by a password, which is not said to be wrong or right of nobody', async () => {
    const { users, proofs } = await anInstallation()
    await users.save(ADA, 'correct horse')
    await users.save({ name: 'bob', groups: [], role: 'agent' }, 'battery staple')
    expect(await proofs.prove(byPassword(' ada ', 'correct horse'))).toEqual({
      agent: 'ada',
      person: { user: 'ada', groups: ['staff'] },
      source: 'user',
    })
    const wrong = 'The name or the password is wrong.'
    expect(await proofs.prove(byPassword('ada', 'battery staple'))).toBe(wrong)
    expect(await proofs.prove(byPassword('ada', ''))).toBe(wrong)
    expect(await proofs.prove(byPassword('eve', 'correct horse'))).toBe(wrong)
  })

  it('with ten guesses at once and one in six seconds, for each name by itself', async () => {
    const { keys, users } = await anInstallation()
    const proofs = createProofs({ keys, users: { ...users, check: withoutHash } })
    const guess = async (name = 'ada') => proofs.prove(byPassword(name, 'wrong'))
    for (let n = 0; n < 10; n++) expect(await guess()).toBe('The name or the password is wrong.')
    expect(await guess()).toContain('Too many attempts')
    expect(await proofs.prove(byPassword('ada', 'correct horse'))).toContain('Too many attempts')
    expect(await guess('bob')).toBe('The name or the password is wrong.')
    vi.advanceTimersByTime(5_999)
    expect(await guess()).toContain('Too many attempts')
    vi.advanceTimersByTime(1)
    expect(await proofs.prove(byPassword('ada', 'correct horse'))).toMatchObject({ agent: 'ada' })
  })
})

describe('a user', () => {
  it('is listed without the password, replaced by saving again, and removed', async () => {
    const { users } = await anInstallation()
    await users.save(ADA, 'one')
    await users.save({ ...ADA, role: 'admin' }, 'two')
    expect(await users.list()).toEqual([{ ...ADA, role: 'admin', createdAt: expect.any(Number) }])
    expect(await users.check('ada', 'one')).toBeUndefined()
    expect(await users.check('ada', 'two')).toMatchObject({ name: 'ada', role: 'admin' })
    expect([await users.remove('ada'), await users.remove('ada')]).toEqual([true, false])
    expect([await users.find('ada'), await users.check('ada', 'two')]).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('an account', () => {
  it('has one id for each way to sign in, the same every time', async () => {
    const { accounts } = await anInstallation()
    const ada = { agent: 'ada', source: 'user' } as const
    const id = await accounts.save(ada)
    expect(await accounts.save({ ...ada, person: { user: 'ada', groups: [] } })).toBe(id)
    const others = [
      { agent: 'bob', source: 'user' },
      { agent: 'ada', source: 'provider' },
      { agent: 'ada', source: 'key' },
      { agent: 'ada', source: 'key', key: 'k1' },
      { agent: 'ada', source: 'key', key: 'k2' },
    ] as const
    expect(new Set([id, ...others.map(accountIdOf)]).size).toBe(6)
    expect(id).not.toContain('ada')
  })

  it('of a user is as the user is now, and gone with the user', async () => {
    const { accounts, users } = await anInstallation()
    await users.save(ADA, 'one')
    const person = { user: 'ada', groups: ['former'] }
    const id = await accounts.save({ agent: 'ada', person, source: 'user' })
    expect(await accounts.find(id)).toMatchObject({
      person: { user: 'ada', groups: ['staff'] },
      role: 'viewer',
    })
    await users.remove('ada')
    expect(await accounts.find(id)).toBeUndefined()
  })

  it('of a key has its role, and ends with the key', async () => {
    const { accounts, keys } = await anInstallation()
    const { key } = await keys.create('bot', { role: 'admin' })
    const id = await accounts.save({ agent: 'bot', key: key.id, source: 'key' })
    expect(await accounts.find(id)).toMatchObject({ agent: 'bot', role: 'admin' })
    await keys.revoke(key.id)
    expect(await accounts.find(id)).toBeUndefined()
    const gone = await accounts.save({ agent: 'bot', key: 'ffffffffffff', source: 'key' })
    expect(await accounts.find(gone)).toBeUndefined()
  })

  it('of a provider is as it was said to be, for half a year after the last sign-in', async () => {
    const { accounts } = await anInstallation()
    const account = {
      agent: 'eve',
      person: { user: 'eve', groups: ['x'], claims: { team: 1 } },
      source: 'provider',
    } as const
    const id = await accounts.save({ ...account, person: { ...account.person, groups: ['x'] } })
    vi.setSystemTime(Date.now() + 180 * DAY_MS - 1)
    expect(await accounts.find(id)).toEqual(account)
    vi.setSystemTime(Date.now() + 1)
    expect(await accounts.find(id)).toBeUndefined()
    expect(await accounts.find('nobody')).toBeUndefined()
  })
})
