import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import type { CurrentAccount } from '../accounts/accounts.ts'
import { createSignInChanges } from '../sign-in-changes.ts'
import { createDashboardSessions } from './dashboard-sessions.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function someSessions() {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const people = new Map<string, CurrentAccount>([
    ['1', { agent: 'ada', source: 'user', person: { user: 'ada', groups: ['ops'] } }],
    ['2', { agent: 'bob', source: 'user', person: { user: 'bob', groups: ['staff'] } }],
    ['3', { agent: 'bot', source: 'key', key: 'k1', role: 'admin' }],
    ['4', { agent: 'eve', source: 'user', person: { user: 'eve', groups: [] } }],
  ])
  const sessions = createDashboardSessions({
    open: async () => ({
      storage,
      accounts: { find: async (id) => people.get(id), save: async () => '' },
    }),
    changes: createSignInChanges(undefined),
    roles: () => ({ adminGroups: ['ops'], viewerGroups: ['staff'] }),
  })
  return { sessions, people, storage }
}

it('a session is that of its person, with the role of their groups or of their key', async () => {
  const { sessions } = await someSessions()
  const agentOf = async (id: string) =>
    sessions.verify(await sessions.begin(id, 'Firefox'), undefined)
  expect(await agentOf('1')).toMatchObject({
    id: 'ada',
    proof: 'sign-in',
    role: 'admin',
    client: 'dashboard',
    person: { user: 'ada' },
    expiresAt: Date.now() + 86_400_000,
  })
  expect(await agentOf('2')).toMatchObject({ id: 'bob', role: 'viewer' })
  expect(await agentOf('3')).toMatchObject({ id: 'bot', role: 'admin', key: 'k1' })
  expect(await agentOf('4')).toMatchObject({ id: 'eve', role: 'agent' })
  await expect(agentOf('5')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

it('a session is good for the dashboard, and at no path of MCP', async () => {
  const { sessions } = await someSessions()
  const secret = await sessions.begin('1', undefined)
  const verify = async (path: string | undefined) => sessions.verify(secret, path)
  for (const path of ['/mcp', ''])
    await expect(verify(path)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await verify(undefined)).toMatchObject({ id: 'ada' })
  await expect(verify('/mcp'), 'also when it was checked before').rejects.toThrow(
    'only for the dashboard',
  )
})

it('a session ends when the person signs out, and that of another does not', async () => {
  const { sessions } = await someSessions()
  const [ada, bob] = [await sessions.begin('1', undefined), await sessions.begin('2', undefined)]
  expect(ada).not.toBe(bob)
  await sessions.verify(ada, undefined)
  await sessions.end(ada)
  vi.setSystemTime(Date.now() + 1)
  await expect(async () => sessions.verify(ada, undefined)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  expect(await sessions.verify(bob, undefined)).toMatchObject({ id: 'bob' })
})

it('a session ends after a day, and at once for a person who is gone', async () => {
  const { sessions, people } = await someSessions()
  const [ada, bob] = [await sessions.begin('1', undefined), await sessions.begin('2', undefined)]
  vi.setSystemTime(Date.now() + 86_400_000 - 1)
  expect(await sessions.verify(ada, undefined)).toMatchObject({ id: 'ada' })
  people.delete('2')
  await expect(sessions.verify(bob, undefined)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  vi.setSystemTime(Date.now() + 1)
  await expect(async () => sessions.verify(ada, undefined)).rejects.toThrow('expired')
})

it('keeps of a session the hash of its secret only, and a little of what the browser says', async () => {
  const { sessions, storage } = await someSessions()
  const secret = await sessions.begin('1', 'x'.repeat(1_000))
  const rows = JSON.stringify(await storage.db.selectFrom('oauth_records').selectAll().execute())
  expect(rows).not.toContain(secret)
  expect(rows).toContain('x'.repeat(200))
  expect(rows).not.toContain('x'.repeat(201))
  const { accountId, id } = await sessions.describe(secret)
  expect(accountId).toBe('1')
  expect(rows).toContain(id)
})
