import { expect, it } from 'vitest'
import { deferred } from '../../../../test/support/deferred.ts'
import { type CheckedCredential, createCheckedCredentials } from './checked-credentials.ts'

const AGENT = { id: 'ada', proof: 'sign-in', expiresAt: 1_000_000 } as const

/** Credentials over a database that holds one token, a clock and word of changes. */
function setUp() {
  const clock = { now: 1_000 }
  const listeners = new Set<() => void>()
  const changes = {
    isLive: true,
    on(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const database: { token: string | undefined; asked: number; down?: true } = {
    token: 'good',
    asked: 0,
  }
  const credentials = createCheckedCredentials({
    name: 'The token',
    changes,
    now: () => clock.now,
    async look(secret): Promise<CheckedCredential | undefined> {
      database.asked += 1
      if (database.down) throw new Error('no answer')
      return secret === database.token ? { agent: AGENT } : undefined
    },
  })
  const change = () => {
    for (const listener of listeners) listener()
  }
  return { clock, changes, database, credentials, change }
}

it('asks the database once, and again after five seconds', async () => {
  const { clock, database, credentials } = setUp()
  const first = await credentials.check('good')
  clock.now += 4_999
  expect(credentials.check('good')).toBe(first)
  expect(database.asked).toBe(1)
  clock.now += 1
  expect(await credentials.check('good')).toBe(first)
  expect(database.asked).toBe(2)
})

it('refuses what was revoked from the moment of the notice', async () => {
  const { database, credentials, change } = setUp()
  await credentials.check('good')
  database.token = undefined
  expect(credentials.check('good')).toMatchObject({ agent: AGENT })
  change()
  await expect(async () => credentials.check('good')).rejects.toThrow('was revoked')
})

it('looks again after half a second where nobody tells of changes', async () => {
  const { clock, changes, database, credentials } = setUp()
  changes.isLive = false
  await credentials.check('good')
  database.token = undefined
  clock.now += 499
  expect(credentials.check('good')).toMatchObject({ agent: AGENT })
  clock.now += 1
  await expect(async () => credentials.check('good')).rejects.toThrow('was revoked')
})

it('does not keep an answer that a change overtook', async () => {
  const { promise: answer, resolve } = deferred<CheckedCredential | undefined>()
  const listeners: (() => void)[] = []
  let asked = 0
  const credentials = createCheckedCredentials({
    name: 'The token',
    changes: { isLive: true, on: (listener) => (listeners.push(listener), () => undefined) },
    now: () => 1_000,
    look: async () => {
      asked += 1
      return asked === 1 ? answer : undefined
    },
  })
  const first = credentials.check('good')
  for (const listener of listeners) listener()
  resolve({ agent: AGENT })
  await first
  await expect(async () => credentials.check('good')).rejects.toThrow('was revoked')
})

it('goes on for a minute while the database is silent, and lets nobody new in', async () => {
  const { clock, database, credentials } = setUp()
  await credentials.check('good')
  database.down = true
  clock.now += 59_000
  expect(await credentials.check('good')).toMatchObject({ agent: AGENT })
  await expect(async () => credentials.check('other')).rejects.toThrow('cannot be checked now')
  clock.now += 2_000
  await expect(async () => credentials.check('good')).rejects.toThrow('cannot be checked now')
})

it('ends with the credential itself', async () => {
  const { clock, credentials } = setUp()
  clock.now = AGENT.expiresAt - 1
  await credentials.check('good')
  clock.now += 1
  await expect(async () => credentials.check('good')).rejects.toThrow('has expired')
})

it('takes over what has changed about a person, and keeps what has not', async () => {
  let groups = ['ops']
  let now = 0
  const credentials = createCheckedCredentials({
    name: 'The token',
    changes: { isLive: true, on: () => () => undefined },
    now: () => now,
    look: async () => ({ agent: { ...AGENT, person: { user: 'ada', groups } } }),
  })
  const first = await credentials.check('good')
  now += 5_000
  expect(await credentials.check('good')).toBe(first)
  groups = ['staff']
  now += 5_000
  expect(await credentials.check('good')).toMatchObject({
    agent: { person: { user: 'ada', groups: ['staff'] } },
  })
})
