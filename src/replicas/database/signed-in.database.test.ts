import { expect, it, onTestFinished } from 'vitest'
import { openReplicas } from '../../../test/support/open-test-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingsSchema } from '../../config/settings/settings.ts'
import { createFileKeyStore } from '../../identity/file-key-store.ts'
import { type SignIn, createSignIn } from '../../identity/incoming/sign-in.ts'
import { sealFromEnvironment } from '../../identity/vault/seal.ts'
import { createUsers } from '../../identity/incoming/accounts/users.ts'
import { userAccount } from '../../identity/incoming/accounts/accounts.ts'
import type { SharedDatabase } from './open-database.ts'

const SECRET_KEY = { PORTOLAN_SECRET_KEY: 'correct horse battery staple' }

/** How people come in at one replica. */
function signInAt({ storage, signInChanges }: SharedDatabase): SignIn {
  const signIn = createSignIn({
    settings: settingsSchema.parse({
      listen: { publicUrl: 'https://mcp.example.com' },
      auth: { adminGroups: ['platform'] },
    }),
    mode: 'embedded',
    keys: createFileKeyStore(tempFolder().file('keys.json')),
    openStorage: async () => ({ ...storage, close: async () => undefined }),
    seal: sealFromEnvironment(SECRET_KEY),
    roles: () => ({ adminGroups: ['platform'], viewerGroups: [] }),
    sessionCookie: (session) => session,
    changes: signInChanges,
    serversOf: () => [],
    onAttempt: () => undefined,
  })
  onTestFinished(async () => signIn.close())
  return signIn
}

it('what ends at one replica has ended at the others', async () => {
  const databases = await openReplicas(2, SECRET_KEY)
  const [one, two] = databases.map((database) => signInAt(database).people)
  if (!one || !two) throw new Error('Two replicas were asked for')
  await expect
    .poll(() => databases.map(({ signInChanges }) => signInChanges.isLive))
    .toEqual([true, true])
  const person = { user: 'eve', groups: ['platform'] }
  const account = await (await one.accounts()).save({ agent: 'eve', person, source: 'provider' })
  const ended = await one.dashboard.begin(account, 'a browser')
  const other = await one.dashboard.begin(account, 'another browser')
  const check = async (session: string) => two.dashboard.verify(session, undefined)
  expect(await check(ended)).toMatchObject({ id: 'eve', role: 'admin' })
  expect(await check(other)).toMatchObject({ id: 'eve' })

  const listed = await (await one.sessions()).list()
  const { id } = listed.find(({ name }) => name === 'a browser') ?? { id: '' }
  expect(await (await one.sessions()).end(id, 'somebody else')).toBe(false)
  // Told of a change, it looks again at what it has just checked.
  let notified = 0
  databases[1]?.signInChanges.on(() => {
    notified += 1
  })
  expect(await (await one.sessions()).end(id, account)).toBe(true)
  await expect.poll(() => notified).toBeGreaterThan(0)
  await expect
    .poll(async () => check(ended).then(() => 'good', String), { timeout: 20_000, interval: 20 })
    .toContain('was revoked')
  expect(await check(other)).toMatchObject({ id: 'eve' })
})

const refused = async (check: () => unknown) =>
  Promise.resolve()
    .then(check)
    .then(() => 'good', String)

it('a user who is removed and made again, disabled, or gets a new password, has left every replica', async () => {
  const databases = await openReplicas(2, SECRET_KEY)
  const [one, two] = databases.map((database) => signInAt(database).people)
  const [first, second] = databases.map(({ storage }) => createUsers(storage))
  if (!one || !two || !first || !second) throw new Error('Two replicas were asked for')
  await expect
    .poll(() => databases.map(({ signInChanges }) => signInChanges.isLive))
    .toEqual([true, true])
  const wim = { name: 'wim', groups: [], role: 'agent' } as const
  const signedIn = async () => {
    const user = await first.find('wim')
    if (!user) throw new Error('Wim was saved')
    const account = await (await one.accounts()).save(userAccount(user))
    const session = await one.dashboard.begin(account, 'a browser')
    expect(await two.dashboard.verify(session, undefined)).toMatchObject({ id: 'wim' })
    expect(await two.checkAccount(account)).toBeDefined()
    return { session, account }
  }
  const ended = async ({ session, account }: { session: string; account: string }) => {
    const poll = { timeout: 20_000, interval: 20 }
    await expect
      .poll(async () => refused(async () => two.dashboard.verify(session, undefined)), poll)
      .toContain('was revoked')
    await expect
      .poll(async () => refused(() => two.checkAccount(account)), poll)
      .toContain('revoked')
  }
  await first.save(wim, 'correct horse battery')
  const before = await signedIn()
  await second.save(wim, 'another password')
  await ended(before)
  const then = await signedIn()
  await second.remove('wim')
  await second.save(wim, 'another password')
  await ended(then)
  const last = await signedIn()
  await (await one.users()).disable('wim')
  await ended(last)
  const { code } = await (await one.users()).invite(wim)
  expect(await (await two.users()).accept(code, 'a third password')).toMatchObject(wim)
  expect(await (await one.users()).accept(code, 'a fourth password')).toBeUndefined()
})
