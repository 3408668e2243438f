import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Browser } from '../../../../test/support/sign-in/browser.ts'
import { OAuthClient } from '../../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../../test/support/sign-in/open-sign-in.ts'
import { withKey } from '../../../../test/support/sign-in/signing-client.ts'

const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000

describe('the authorization server', () => {
  it('says what it can do, at its own address, whatever a request says of it', async () => {
    const { url } = await openSignIn()
    const answer = await fetch(`${url}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    const { scopes_supported, ...metadata } = Object(await answer.json())
    expect(metadata).toMatchObject({
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      jwks_uri: `${url}/oauth/jwks`,
      response_types_supported: ['code'],
      client_id_metadata_document_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: [
        'none',
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
    })
    expect(scopes_supported).toEqual(expect.arrayContaining(['tools:read', 'offline_access']))
    for (const absent of [
      'userinfo_endpoint',
      'end_session_endpoint',
      'pushed_authorization_request_endpoint',
      'dpop_signing_alg_values_supported',
    ])
      expect(metadata).not.toHaveProperty(absent)
  })

  it('gives no code without a proof key, and none for what is not ours', async () => {
    const { url } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const errorOf = async (more: Record<string, string>) =>
      (await client.open(more)).url.searchParams.get('error')
    expect(await errorOf({ code_challenge: '', code_challenge_method: '' })).toBe('invalid_request')
    expect(await errorOf({ resource: 'https://evil.example/mcp' })).toBe('invalid_target')
    expect(await errorOf({ resource: `${url}/health` })).toBe('invalid_target')
    expect(await errorOf({ resource: `${url}/sse` })).toBeNull()
  })

  it('revokes tokens for the client that got them, and for no other', async () => {
    const { url, key, signIn } = await openSignIn()
    const [client, other] = [
      await new OAuthClient(url).register(),
      await new OAuthClient(url).register(),
    ]
    const { access_token: token } = (await client.redeem(await client.code(withKey(key)))).body
    await other.post('/oauth/revoke', { token })
    expect(await signIn.tokens?.verify(token, '/mcp')).toMatchObject({ id: 'ada' })
    await client.post('/oauth/revoke', { token })
    await expect(async () => signIn.tokens?.verify(token, '/mcp')).rejects.toThrow('not known')
  })

  it('gives tokens as long as the settings say, and a client that goes on for a month', async () => {
    const { url, key, storage } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const before = Date.now()
    const code = await client.code(withKey(key), { scope: 'openid tools:read' })
    const { body } = await client.redeem(code)
    expect(body).toMatchObject({ expires_in: 3_600 })
    const { exp = 0, iat = 0 } = decodeJwt(String(Reflect.get(body, 'id_token')))
    expect(exp - iat).toBe(3_600)
    const spent = Date.now() - before + 2_000
    const rows = await storage.db.selectFrom('oauth_records').selectAll().execute()
    // Seconds are rounded.
    const isLife = (kind: string, ms: number) => {
      const life = (rows.find((row) => row.kind === kind)?.expires_at ?? 0) - before
      return life >= ms - 2_000 && life <= ms + spent
    }
    expect(isLife('AccessToken', 3_600_000)).toBe(true)
    expect(isLife('RefreshToken', 30 * DAY_MS)).toBe(true)
    expect(isLife('Grant', 30 * DAY_MS)).toBe(true)
    expect(isLife('Session', DAY_MS)).toBe(true)
  })

  it('a refresh token may be sent again for a minute, and afterwards ends the sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, key, signIn } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const { body } = await client.redeem(await client.code(withKey(key)))
    // Two processes of one client refresh at once; a third has lost the answer.
    const both = await Promise.all([1, 2].map(async () => client.refresh(body.refresh_token)))
    vi.setSystemTime(Date.now() + 50_000)
    const late = await client.refresh(body.refresh_token)
    for (const { status, body: tokens } of [...both, late]) {
      expect(status).toBe(200)
      expect(await signIn.tokens?.verify(tokens.access_token, '/mcp')).toMatchObject({ id: 'ada' })
    }
    vi.setSystemTime(Date.now() + 11_000)
    expect((await client.refresh(body.refresh_token)).body.error, 'the first use counts').toBe(
      'invalid_grant',
    )
    for (const { body: tokens } of [...both, late])
      expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('keeps a client signed in for as long as it comes back in time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, key } = await openSignIn()
    const client = await new OAuthClient(url).register()
    let tokens = (await client.redeem(await client.code(withKey(key)))).body
    for (let visits = 0; visits < 3; visits++) {
      vi.setSystemTime(Date.now() + 29 * DAY_MS)
      tokens = (await client.refresh(tokens.refresh_token)).body
      expect(tokens).toMatchObject({ refresh_token: expect.stringMatching(/./) })
    }
    vi.setSystemTime(Date.now() + 31 * DAY_MS)
    expect((await client.refresh(tokens.refresh_token)).body).toEqual(
      expect.objectContaining({ error: 'invalid_grant' }),
    )
  })
})

describe('consent', () => {
  it('is asked for once by a client at an address of its own', async () => {
    const { url, key } = await openSignIn()
    const redirect_uri = 'https://editor.example/callback'
    const client = await new OAuthClient(url).register({ redirect_uris: [redirect_uri] })
    await client.code(withKey(key), { redirect_uri })
    const again = await client.open({ redirect_uri })
    expect(again.url.origin).toBe('https://editor.example')
    expect(again.url.searchParams.get('code')).toMatch(/./)
    expect(client.browser.cookie('_session.sig'), 'which no page can make').toMatch(/./)
  })

  it('is given by the button for it alone, and says where a program of one’s own is', async () => {
    const { url, key } = await openSignIn()
    const redirect_uri = 'com.example.editor:/callback'
    const name = 'E'.repeat(100)
    const client = await new OAuthClient(url).register({
      redirect_uris: [redirect_uri],
      client_name: name,
    })
    const page = await client.open({ redirect_uri })
    const consent = await client.browser.submit(page, { action: 'key', key })
    expect(consent.text).toContain('you are sent to <code>com.example.editor:</code>')
    expect(consent.text).toContain(`Connect ${'E'.repeat(80)}?`)
    expect(consent.headers.get('content-security-policy')).toContain(
      "form-action 'self' com.example.editor:;",
    )
    const other = await client.browser.submit(consent, { action: 'key', key, effect: ['read'] })
    expect(other.url.origin, 'still here').toBe(url)
    expect(other.text).toContain('value="allow"')
  })

  it('is not shown to somebody who was removed meanwhile', async () => {
    const { url, users, attempts } = await openSignIn()
    await users.save({ name: 'eve', groups: ['ops'], role: 'agent' }, PASSWORD)
    const client = await new OAuthClient(url).register()
    const byPassword = { action: 'password', user: 'eve', password: PASSWORD }
    const consent = await client.browser.submit(await client.open(), byPassword)
    expect(consent.text).toContain('as <strong>eve</strong>')
    await users.remove('eve')
    const gone = await client.browser.open(consent.url.href, url)
    expect(gone.status).toBe(400)
    expect(gone.text).toContain('Your sign-in has expired')
    expect(attempts).toHaveLength(1)
  })

  it('counts what the rules allow to the person, and not only to their name', async () => {
    const asked: unknown[] = []
    const { url, users, key } = await openSignIn({
      serversOf: (who) => (asked.push(who), []),
    })
    await users.save({ name: 'eve', groups: ['ops'], role: 'agent' }, PASSWORD)
    const client = await new OAuthClient(url).register()
    const byPassword = { action: 'password', user: 'eve', password: PASSWORD }
    await client.browser.submit(await client.open(), byPassword)
    const other = await new OAuthClient(url).register()
    const consent = await other.browser.submit(await other.open(), { action: 'key', key })
    expect(asked).toStrictEqual([
      { id: 'eve', person: { user: 'eve', id: expect.any(String), groups: ['ops'] } },
      { id: 'ada' },
    ])
    expect(consent.text).toContain('None yet: the rules allow nothing to ada.')
  })
})

describe('the site', () => {
  it('limits who registers, and nothing else that is sent to it', async () => {
    const { url } = await openSignIn()
    const statuses = async (path: string, method: string, count: number) => {
      const all = new Set<number>()
      for (let n = 0; n < count; n += 1) all.add((await fetch(`${url}${path}`, { method })).status)
      return [...all]
    }
    expect(await statuses('/oauth/token', 'POST', 61)).not.toContain(429)
    expect(await statuses('/oauth/register', 'GET', 61)).not.toContain(429)
    expect(await statuses('/oauth/register', 'POST', 60)).toEqual([400])
    expect(await statuses('/oauth/register', 'POST', 1)).toEqual([429])
  })

  it('leads to no provider that does not know us', async () => {
    const { url } = await openSignIn({
      provider: async () => ({ issuer: 'https://idp.example', scopes: [], groupsClaim: 'groups' }),
    })
    const page = await new Browser().open(`${url}/oauth/sign-in/dashboard`, url)
    expect(page.status).toBe(200)
    expect(page.text).not.toContain('Continue with')
    expect(page.text, 'and nobody has a password').not.toContain('name="password"')
    expect((await fetch(`${url}/oauth/provider/callback`)).status).toBe(404)
  })
})
