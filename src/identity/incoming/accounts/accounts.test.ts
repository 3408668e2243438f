import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { ownName } from '../../../gateway/agents/on-behalf-of.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import type { Storage } from '../../../storage/storage.ts'
import { createFileKeyStore } from '../../file-key-store.ts'
import { accountIdOf, createAccounts, userAccount } from './accounts.ts'
import { type Proofs, createProofs } from './proofs.ts'
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
    storage,
    keys,
    users,
    accounts: createAccounts(storage, { keys, users }),
    proofs: createProofs({ keys, users }),
  }
}

const byKey = (key: string) => new URLSearchParams({ action: 'key', key })
const byPassword = (user: string, password: string) =>
  new URLSearchParams({ action: 'password', user, password })

const said = async (proved: ReturnType<Proofs['prove']>) => {
  const result = await proved
  return 'problem' in result ? result.problem : result
}

const ADA = { name: 'ada', groups: ['staff'], role: 'viewer' } as const
const DAY_MS = 86_400_000

/** Real hashes take their time, and here it is only counted how often one is asked for. */
const withoutHash = async (name: string, password: string) =>
  password === 'correct horse' ? { ...ADA, name, createdAt: 0 } : undefined

describe('a person proves who they are', () => {
  it('by a key that is good, and by nothing near it', async () => {
    const { keys, proofs } = await anInstallation()
    const { key, secret } = await keys.create('bot', { expiresAt: Date.now() + 1_000 })
    expect(await said(proofs.prove(byKey(` ${secret} `)))).toEqual({
      agent: 'bot',
      key: key.id,
      source: 'key',
    })
    const wrong = 'This key is not known here, has expired or was revoked.'
    expect(await said(proofs.prove(byKey(`${secret}x`)))).toBe(wrong)
    expect(await said(proofs.prove(new URLSearchParams()))).toBe(wrong)
    vi.setSystemTime(Date.now() + 1_000)
    expect(await said(proofs.prove(byKey(secret))), 'it has expired').toBe(wrong)
    const other = await keys.create('bot')
    expect(await said(proofs.prove(byKey(other.secret)))).toMatchObject({ agent: 'bot' })
    await keys.revoke(other.key.id)
    expect(await said(proofs.prove(byKey(other.secret)))).toBe(wrong)
  })

  it('by a password, which is not said to be wrong or right of nobody', async () => {
    const { users, proofs } = await anInstallation()
    await users.save(ADA, 'correct horse')
    await users.save({ name: 'bob', groups: [], role: 'agent' }, 'battery staple')
    expect(await said(proofs.prove(byPassword(' ada ', 'correct horse')))).toEqual({
      id: expect.any(String),
      agent: 'ada',
      person: { user: 'ada', id: expect.any(String), groups: ['staff'] },
      source: 'user',
    })
    const wrong = 'The name or the password is wrong.'
    expect(await said(proofs.prove(byPassword('ada', 'battery staple')))).toBe(wrong)
    expect(await said(proofs.prove(byPassword('ada', '')))).toBe(wrong)
    expect(await said(proofs.prove(byPassword('eve', 'correct horse')))).toBe(wrong)
  })

  it('with ten guesses at once and one in six seconds, for each name by itself', async () => {
    const { keys, users } = await anInstallation()
    const proofs = createProofs({ keys, users: { ...users, check: withoutHash } })
    const guess = async (name = 'ada') => said(proofs.prove(byPassword(name, 'wrong')))
    for (let n = 0; n < 10; n++) expect(await guess()).toBe('The name or the password is wrong.')
    expect(await guess()).toContain('Too many attempts')
    expect(await said(proofs.prove(byPassword('ada', 'correct horse')))).toContain(
      'Too many attempts',
    )
    expect(await guess('bob')).toBe('The name or the password is wrong.')
    vi.advanceTimersByTime(5_999)
    expect(await guess()).toContain('Too many attempts')
    vi.advanceTimersByTime(1)
    expect(await said(proofs.prove(byPassword('ada', 'correct horse')))).toMatchObject({
      agent: 'ada',
    })
  })
})

/** Makes the rows of users those of a version that knew no ids. */
async function asMadeEarlier({ db }: Storage): Promise<void> {
  await db.updateTable('users').set({ id: null, account_id: null }).execute()
}

async function updateGroups({ db }: Storage, groups: readonly string[]): Promise<void> {
  await db
    .updateTable('users')
    .set({ groups_json: JSON.stringify(groups) })
    .execute()
}

describe('a user', () => {
  it('is listed without the password, replaced by saving again, and removed', async () => {
    const { users } = await anInstallation()
    await users.save(ADA, 'one')
    await users.save({ ...ADA, role: 'admin' }, 'two')
    expect(await users.list()).toEqual([
      { ...ADA, role: 'admin', state: 'active', createdAt: expect.any(Number) },
    ])
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
    const { accounts, users, storage } = await anInstallation()
    await users.save({ ...ADA, groups: ['former'] }, 'one')
    const user = await users.find('ada')
    if (!user) throw new Error('Ada was saved')
    const id = await accounts.save(userAccount(user))
    await updateGroups(storage, ['staff'])
    expect(await accounts.find(id)).toMatchObject({
      person: { user: 'ada', groups: ['staff'] },
      role: 'viewer',
    })
    await users.remove('ada')
    expect(await accounts.find(id)).toBeUndefined()
  })

  it('of a user whom an earlier version made is the same, until they get a new password', async () => {
    const { accounts, users, proofs, storage } = await anInstallation()
    await users.save(ADA, 'one')
    await asMadeEarlier(storage)
    const earlier = { agent: 'ada', source: 'user' } as const
    const id = await accounts.save({ ...earlier, person: { user: 'ada', groups: ['staff'] } })
    const now = await said(proofs.prove(byPassword('ada', 'one')))
    if (typeof now === 'string') throw new Error(now)
    expect(await accounts.save(now)).toBe(id)
    expect(await accounts.find(id)).toMatchObject({ agent: 'ada', role: 'viewer' })
    expect(now.person && ownName(now.person)).toBe('user:ada')
    await users.save(ADA, 'two')
    expect(await accounts.find(id)).toBeUndefined()
    const after = await said(proofs.prove(byPassword('ada', 'two')))
    expect(after).toMatchObject({ person: { user: 'ada' } })
    expect(after, 'what they own stays theirs').not.toMatchObject({
      person: { id: expect.anything() },
    })
    await users.remove('ada')
    await users.save(ADA, 'one')
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
