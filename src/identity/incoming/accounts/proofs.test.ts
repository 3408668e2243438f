import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Key } from '../../key-store.ts'
import { createProofs } from './proofs.ts'
import type { User } from './users.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const KEYS: Record<string, Key> = {
  ptk_good: { id: 'k1', agent: 'bot', createdAt: 1 },
  ptk_revoked: { id: 'k2', agent: 'bot', createdAt: 1, revokedAt: 2 },
}

const aUser = (name: string): User => ({ name, groups: ['ops'], role: 'agent', createdAt: 1 })

/** Everybody's password is `good`. */
function someProofs() {
  const checked: string[] = []
  const proofs = createProofs({
    keys: { find: (secret) => KEYS[secret] },
    users: {
      async check(name, password) {
        checked.push(name)
        return password === 'good' ? aUser(name) : undefined
      },
    },
  })
  const prove = async (fields: Record<string, string>) => {
    const result = await proofs.prove(new URLSearchParams(fields))
    return 'problem' in result ? result.problem : result
  }
  const byPassword = async (name: string, password: string) =>
    prove({ action: 'password', user: name, password })
  return { prove, byPassword, checked }
}

it('proves an account by a key that is good, whatever button was pressed but the other', async () => {
  const { prove } = someProofs()
  const account = { agent: 'bot', key: 'k1', source: 'key' }
  expect(await prove({ action: 'key', key: ' ptk_good ' })).toEqual(account)
  expect(await prove({ key: 'ptk_good' })).toEqual(account)
  for (const key of ['ptk_revoked', 'ptk_wrong', ''])
    expect(await prove({ action: 'key', key })).toMatch(/^This key is not known here/)
  expect(await prove({})).toMatch(/^This key is not known here/)
})

it('proves an account by a name and its password', async () => {
  const { prove, byPassword } = someProofs()
  expect(await byPassword(' eve ', 'good')).toEqual({
    agent: 'eve',
    person: { user: 'eve', groups: ['ops'] },
    source: 'user',
  })
  expect(await byPassword('eve', 'bad')).toBe('The name or the password is wrong.')
  expect(await prove({ action: 'password' })).toBe('The name or the password is wrong.')
})

it('takes ten guesses of a name at once, then one in six seconds, and holds up nobody else', async () => {
  const { byPassword, checked } = someProofs()
  for (let n = 0; n < 10; n++)
    expect(await byPassword('eve', `guess ${n}`)).toBe('The name or the password is wrong.')
  expect(await byPassword('eve', 'good')).toMatch(/^Too many attempts for this name/)
  expect(checked, 'a guess too many is not even looked at').toHaveLength(10)
  expect(await byPassword('tom', 'good')).toMatchObject({ agent: 'tom' })
  vi.advanceTimersByTime(5_999)
  expect(await byPassword('eve', 'good')).toMatch(/^Too many/)
  vi.advanceTimersByTime(1)
  expect(await byPassword('eve', 'good')).toMatchObject({ agent: 'eve' })
  expect(await byPassword('eve', 'good')).toMatch(/^Too many/)
})

it('calculates two hashes at once, lets some wait, and asks the others to come back', async () => {
  const release: (() => void)[] = []
  const proofs = createProofs({
    keys: { find: () => undefined },
    users: {
      check: async () => new Promise((resolve) => release.push(() => resolve(undefined))),
    },
  })
  const attempts = Array.from({ length: 60 }, async (_, n) =>
    proofs.prove(new URLSearchParams({ action: 'password', user: `eve-${n}`, password: 'x' })),
  )
  await Promise.resolve()
  expect(release).toHaveLength(2)
  for (let done = 0; done < 42; done++) {
    await vi.waitFor(() => expect(release.length).toBeGreaterThan(done))
    expect(release.length - done).toBeLessThanOrEqual(2)
    release[done]?.()
  }
  const said = (await Promise.all(attempts)).map((one) => ('problem' in one ? one : undefined))
  expect(said.filter((one) => one?.waitMs === undefined)).toHaveLength(42)
  expect(said.filter((one) => one?.waitMs === 5_000)).toHaveLength(18)
})
