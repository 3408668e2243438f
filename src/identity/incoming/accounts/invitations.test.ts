import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { createUsers } from './users.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const EVE = { name: 'eve@example.com', groups: ['staff'], role: 'viewer' } as const
const PASSWORD = 'correct horse battery'
const WEEK_MS = 7 * 86_400_000

async function someUsers() {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const announced: unknown[] = []
  const users = createUsers(storage, async (told) => void announced.push(told))
  return { users, announced }
}

it('lets a person choose a password once, who is known by it from then on', async () => {
  const { users, announced } = await someUsers()
  const { code } = await users.invite(EVE)
  expect(await users.list()).toMatchObject([{ ...EVE, state: 'invited' }])
  expect(await users.invited(code)).toBe(EVE.name)
  expect(await users.check(EVE.name, '')).toBeUndefined()
  const [one, other] = await Promise.all([
    users.accept(code, PASSWORD),
    users.accept(code, 'another password'),
  ])
  expect([one, other].filter(Boolean)).toHaveLength(1)
  expect(await users.list()).toMatchObject([{ state: 'active' }])
  expect(await users.accept(code, PASSWORD)).toBeUndefined()
  expect(await users.invited(code)).toBeUndefined()
  expect(announced.length).toBeGreaterThan(1)
})

it('ends after a week, with another invitation, and when the person is disabled', async () => {
  const { users } = await someUsers()
  const { code: first } = await users.invite(EVE)
  const { code: second, expiresAt } = await users.invite(EVE)
  expect(await users.invited(first)).toBeUndefined()
  expect(expiresAt).toBe(Date.now() + WEEK_MS)
  vi.setSystemTime(expiresAt - 1)
  expect(await users.invited(second)).toBe(EVE.name)
  vi.setSystemTime(expiresAt)
  expect(await users.invited(second)).toBeUndefined()
  const { code: third } = await users.invite(EVE)
  await users.disable(EVE.name)
  expect(await users.accept(third, PASSWORD)).toBeUndefined()
  expect(await users.list()).toMatchObject([{ state: 'disabled' }])
})

it('is for nobody who guesses', async () => {
  const { users } = await someUsers()
  const { code } = await users.invite(EVE)
  const [name = '', secret = ''] = code.split('.')
  await users.save({ ...EVE, name: 'tom' }, PASSWORD)
  const tom = Buffer.from('tom').toString('base64url')
  for (const guess of [`${name}.`, name, '', `${name}.${secret}x`, `${tom}.${secret}`, `${tom}.`])
    expect([guess, await users.invited(guess)]).toEqual([guess, undefined])
  const stored = JSON.stringify(await users.list())
  expect(stored).not.toContain(secret)
})
