import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createUsers } from '../../identity/incoming/accounts/users.ts'
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
