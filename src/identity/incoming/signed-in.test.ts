import { describe, expect, it } from 'vitest'
import { DashboardPerson } from '../../../test/support/sign-in/dashboard-person.ts'
import { OAuthClient } from '../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../test/support/sign-in/open-sign-in.ts'
import { withKey } from '../../../test/support/sign-in/signing-client.ts'

const PASSWORD = 'correct horse battery'

describe('codes and tokens', () => {
  it('are good until they are revoked, a code once; who uses it again ends all that came of it', async () => {
    const { url, signIn, key } = await openSignIn()
    const isGood = async (token: string) => {
      const found = (async () => signIn.tokens?.verify(token, '/mcp'))()
      return found.then(
        () => true,
        () => false,
      )
    }
    const client = await new OAuthClient(url).register()
    const code = await client.code(withKey(key))
    const first = (await client.redeem(code)).body
    expect(await isGood(first.access_token)).toBe(true)
    expect((await client.redeem(code)).body.error).toBe('invalid_grant')
    expect(await isGood(first.access_token)).toBe(false)
    const second = (await client.redeem(await client.code(withKey(key)))).body
    const third = (await client.refresh(second.refresh_token)).body
    expect(await isGood(third.access_token)).toBe(true)
    await client.post('/oauth/revoke', { token: third.access_token })
    expect(await isGood(third.access_token)).toBe(false)
  })

  it('are kept as hashes', async () => {
    const { url, key, storage } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const code = await client.code(withKey(key))
    const { access_token, refresh_token } = (await client.redeem(code)).body
    const rows = JSON.stringify(await storage.db.selectFrom('oauth_records').selectAll().execute())
    expect(rows).toContain('RefreshToken')
    for (const secret of [code, access_token, refresh_token, client.browser.cookie('_session')])
      expect(rows).not.toContain(secret)
  })
})

it('whoever is signed in is listed, newest first, and ended by themselves or an admin', async () => {
  const { url, signIn, key, users } = await openSignIn()
  const { people } = signIn
  if (!people) throw new Error('Nobody can sign in')
  await users.save({ name: 'eve', groups: [], role: 'agent' }, PASSWORD)
  const client = await new OAuthClient(url).register()
  const { access_token } = (await client.redeem(await client.code(withKey(key)))).body
  const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
  // One who has only opened the page is nobody's session.
  await (await new OAuthClient(url).register()).open()
  const sessions = await people.sessions()
  const all = await sessions.list()
  const told = all.map(({ kind, account, name }) => [kind, account.agent, name ?? ''])
  expect(told.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
    ['browser', 'ada', ''],
    ['client', 'ada', 'Harbour Editor'],
    ['dashboard', 'eve', expect.stringMatching(/./)],
  ])
  for (const { createdAt, expiresAt } of all) {
    expect(Math.abs(createdAt - Date.now())).toBeLessThan(100_000)
    expect(expiresAt - Date.now()).toBeGreaterThan(86_000_000)
  }
  const times = all.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  const idOf = (wanted: string) => all.find(({ kind }) => kind === wanted)?.id ?? ''
  const accountOf = (wanted: string) => all.find(({ kind }) => kind === wanted)?.accountId
  const own = await sessions.list(accountOf('dashboard'))
  expect(own.map(({ kind }) => kind)).toEqual(['dashboard'])
  expect(await sessions.end(idOf('client'), accountOf('dashboard')), 'not hers').toBe(false)
  expect(await sessions.end('client.nobody')).toBe(false)
  expect(await signIn.tokens?.verify(access_token, '/mcp')).toMatchObject({ id: 'ada' })
  expect(await sessions.end(idOf('client'))).toBe(true)
  await expect(async () => signIn.tokens?.verify(access_token, '/mcp')).rejects.toThrow('not known')
  const verify = async () => people.dashboard.verify(eve.session ?? '', undefined)
  expect(await verify()).toMatchObject({ id: 'eve' })
  expect(await sessions.end(idOf('dashboard'), accountOf('dashboard'))).toBe(true)
  await expect(verify()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await sessions.end(idOf('browser'))).toBe(true)
  expect(await sessions.list()).toEqual([])
})
