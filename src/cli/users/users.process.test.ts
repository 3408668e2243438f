import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { ownName } from '../../gateway/agents/on-behalf-of.ts'
import { createUsers } from '../../identity/incoming/accounts/users.ts'
import { SignInRecord } from '../../identity/sign-ins/sign-in-record.ts'
import { createUserKeys } from '../../identity/user-keys.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { openStorage } from '../../storage/open-storage.ts'

it('makes people whose password is good, and no other, until they are removed', async () => {
  const folder = tempFolder()
  const env = { PORTOLAN_HOME: folder.file('data') }
  const run = async (...args: string[]) => runCli(folder, ['users', ...args], env)
  const groups = ['--groups', 'platform, oncall', '--role', 'viewer']
  const made = await run('create', 'eve@example.com', ...groups)
  const password = made.stdout.trim()
  expect(password).toMatch(/^[\w-]{24}$/)
  expect((await run('list')).stdout).toMatch(
    /^eve@example\.com {2}platform, oncall {2}viewer {2}since /,
  )
  const storage = await openStorage({ home: folder.file('data') })
  const users = createUsers(storage)
  expect(await users.check('eve@example.com', password)).toMatchObject({
    name: 'eve@example.com',
    groups: ['platform', 'oncall'],
    role: 'viewer',
  })
  expect(await users.check('eve@example.com', `${password}x`)).toBeUndefined()
  expect(await users.check('zoe', password)).toBeUndefined()
  expect((await run('remove', 'eve@example.com')).code).toBe(0)
  expect(await users.check('eve@example.com', password)).toBeUndefined()
  expect(await run('remove', 'eve@example.com')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no user "eve@example.com". `portolan users list`'),
  })
  await storage.close()
})

it('removes the sign-ins and keys of a person with them, and those of nobody else', async () => {
  const folder = tempFolder()
  const home = folder.file('data')
  const env = { PORTOLAN_HOME: home, PORTOLAN_KEYRING: 'off' }
  const run = async (...args: string[]) => runCli(folder, ['users', ...args], env)
  await run('create', 'wim')
  const storage = await openStorage({ home })
  const wim = await createUsers(storage).find('wim')
  await storage.close()
  const owner = ownName({ user: 'wim', id: wim?.id })
  const vault = openVault(home, env)
  const server = { name: 'mail', url: 'https://mail.example/mcp', oauth: SHARED_BY_NOBODY }
  const signInOf = (person: string) =>
    new SignInRecord({ vault, server, person, isOnlyEntry: () => true, learn })
  const keys = createUserKeys(vault, learn)
  for (const person of [owner, 'user:wim2', 'local']) {
    await signInOf(person).keep({ access_token: 't', token_type: 'Bearer' }, '')
    await keys.set(person, 'TOKEN', 'a key')
  }
  expect((await run('remove', 'wim')).code).toBe(0)
  const after = openVault(home, env)
  const left = await after.names('')
  expect(left.filter((name) => name.startsWith('sign-in.'))).toHaveLength(2)
  expect(await createUserKeys(after, learn).of(owner)).toEqual({})
  expect(await createUserKeys(after, learn).of('user:wim2')).toEqual({ TOKEN: 'a key' })
  await run('create', 'wim')
  const again = await openStorage({ home })
  const next = await createUsers(again).find('wim')
  await again.close()
  expect(ownName({ user: 'wim', id: next?.id })).not.toBe(owner)
})

const learn = () => undefined
const SHARED_BY_NOBODY = { tokens: 'per-person', grant: 'authorization_code' } as const

it('keeps groups and role when a person only gets another password', async () => {
  const folder = tempFolder()
  const env = { PORTOLAN_HOME: folder.file('data') }
  const run = async (...args: string[]) => runCli(folder, ['users', ...args], env)
  await run('create', 'eve', '--groups', 'platform', '--role', 'admin')
  expect((await run('create', 'eve')).code).toBe(0)
  expect((await run('list')).stdout).toMatch(/^eve {2}platform {2}admin {2}since /)
  await run('create', 'eve', '--groups', '', '--role', 'agent')
  expect((await run('list')).stdout).toMatch(/^eve {2}no groups {2}since /)
})
