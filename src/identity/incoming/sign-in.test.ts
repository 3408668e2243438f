import { describe, expect, it } from 'vitest'
import { Browser } from '../../../test/support/sign-in/browser.ts'
import { DashboardPerson } from '../../../test/support/sign-in/dashboard-person.ts'
import { OAuthClient } from '../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../test/support/sign-in/open-sign-in.ts'
import { withKey } from '../../../test/support/sign-in/signing-client.ts'
import { type TeamIdp, startTeamIdp } from '../../../test/support/sign-in/team-idp.ts'
import { GatewayError } from '../../gateway/errors.ts'

const PASSWORD = 'correct horse battery'

describe('a client', () => {
  it('gets tokens for the key of its person, which are good for what they agreed to', async () => {
    const { url, signIn, key, keys, attempts } = await openSignIn({
      serversOf: ({ id }) => [
        { name: `files-of-${id}`, tools: 3, effects: ['read', 'delete'] },
        { name: 'idle', tools: 0, effects: ['read'] },
      ],
    })
    const client = await new OAuthClient(url).register()
    const first = await client.open()
    expect(first.status).toBe(200)
    expect(first.text).toContain('<strong>Harbour Editor</strong>')
    expect(first.text).toContain('an application on your computer')
    expect(first.text, 'nobody has a password here').not.toContain('name="password"')
    expect(first.text, 'and there is no provider').not.toContain('Continue with')
    const wrong = await client.browser.submit(first, { action: 'key', key: `${key}x` })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('This key is not known here')
    const consent = await client.browser.submit(wrong, { action: 'key', key: ` ${key} ` })
    expect(consent.text).toContain('as <strong>ada</strong>')
    expect(consent.text).toContain('You are signed in with a key.')
    expect(consent.text).toContain('<li>files-of-ada (3 tools)</li>')
    expect(consent.text).toContain('<li>idle</li>')
    expect(consent.text).toContain('127.0.0.1:9')
    expect(consent.text.match(/\bchecked\b/g)).toHaveLength(2)
    expect(consent.text).toContain('The name of this client is not verified')
    expect(consent.headers.get('content-security-policy')).toContain('http://127.0.0.1:9')
    const back = await client.browser.submit(consent, {
      action: 'allow',
      effect: ['read', 'delete', 'all'],
    })
    expect(back.url.searchParams.get('state')).toBe('xyz')
    const { status, body } = await client.redeem(back.url.searchParams.get('code') ?? '')
    expect(status).toBe(200)
    expect(body.scope.split(' ').toSorted()).toEqual(['tools:delete', 'tools:read'])
    expect(attempts, 'who came, and who was refused').toEqual([
      { to: 'Harbour Editor', problem: expect.stringContaining('not known') },
      { to: 'Harbour Editor', account: expect.objectContaining({ agent: 'ada', source: 'key' }) },
    ])
    const [known] = await keys.list()
    expect(await signIn.tokens?.verify(body.access_token, '/mcp')).toMatchObject({
      id: 'ada',
      proof: 'sign-in',
      client: 'Harbour Editor',
      effects: ['read', 'delete'],
      key: known?.id,
    })
    expect(await signIn.tokens?.verify(body.access_token, '/mcp/team')).toMatchObject({ id: 'ada' })
    for (const path of ['/sse', '', undefined])
      await expect(async () => signIn.tokens?.verify(body.access_token, path)).rejects.toThrow(
        'was issued for',
      )
    const next = await client.refresh(body.refresh_token)
    expect(next.status).toBe(200)
    await keys.revoke(known?.id ?? '')
    expect((await client.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('is told when the person cancels, and gets nothing when they agree to nothing', async () => {
    const { url, key } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const cancelled = await client.browser.submit(await client.open(), { action: 'cancel' })
    expect(cancelled.url.searchParams.get('error')).toBe('access_denied')
    expect(cancelled.url.searchParams.get('error_description')).toBe('The person did not agree')
    const { body } = await client.redeem(await client.code(withKey(key, [])))
    expect(body.scope ?? '').not.toContain('tools:')
  })

  it('is let in by nobody but the person who signs in: no form allows before that', async () => {
    const { url } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const early = await client.browser.submit(await client.open(), {
      action: 'allow',
      effect: ['read'],
    })
    expect(early.status).toBe(400)
    expect(early.text).toContain('This key is not known here')
  })

  it('asks each time, although the browser still knows who has signed in', async () => {
    const { url, key } = await openSignIn()
    const client = await new OAuthClient(url).register()
    await client.code(withKey(key))
    const again = await client.open()
    expect(again.text).toContain('as <strong>ada</strong>')
    expect(again.text).not.toContain('name="key"')
  })

  it('may ask for more than it gets told of: only our scopes count', async () => {
    const { url, key } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const page = await client.open({ scope: 'openid profile tools:read' })
    const consent = await client.browser.submit(page, { action: 'key', key })
    expect(consent.text).toContain('use tools that read')
    expect(consent.text).not.toContain('use tools that delete')
  })

  it('cannot register where that is switched off', async () => {
    const { url } = await openSignIn({ registration: false })
    const answer = await fetch(`${url}/oauth/register`, { method: 'POST' })
    expect(answer.status).toBe(404)
  })
})

describe('a page of sign-in', () => {
  it('takes no form from another site, without its mark, or of another visit', async () => {
    const { url, key } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const page = await client.open()
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const send = async (fields: Record<string, string>, headers: Record<string, string>) =>
      client.browser.open(page.url.href, url, {
        method: 'POST',
        body: new URLSearchParams({ action: 'key', key, ...fields }),
        headers,
      })
    for (const refused of [
      await send({ token: 'forged' }, { origin: url }),
      await send({ token }, { origin: 'https://evil.example' }),
      await send({ token }, {}),
    ]) {
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('The form did not come from this page')
    }
    expect((await send({ token }, { origin: url })).text).toContain('as <strong>ada</strong>')
  })

  it('is shown only in the browser that began, and says so elsewhere', async () => {
    const { url } = await openSignIn()
    const client = await new OAuthClient(url).register()
    const begun = await client.open()
    const elsewhere = await new Browser().open(begun.url.href, url)
    expect(elsewhere.status).toBe(400)
    expect(elsewhere.text).toContain('This sign-in is unknown or has ended')
    expect(elsewhere.text).toContain('fifteen minutes')
    const other = await client.open()
    const mixed = await client.browser.open(
      begun.url.href.replace(/[^/]+$/, `${begun.url.pathname.split('/').at(-1)}x`),
      url,
    )
    expect(other.status).toBe(200)
    expect(mixed.status).toBe(400)
  })
})

describe('people with passwords', () => {
  it('sign in as themselves, with their groups', async () => {
    const { url, signIn, users } = await openSignIn()
    await users.save({ name: 'eve', groups: ['ops', 'night'], role: 'agent' }, PASSWORD)
    const client = await new OAuthClient(url).register()
    const page = await client.open()
    expect(page.text).toContain('name="password"')
    const consent = await client.browser.submit(page, {
      action: 'password',
      user: ' eve ',
      password: PASSWORD,
    })
    expect(consent.text).toContain('You are signed in with your password, groups: ops, night.')
    const back = await client.browser.submit(consent, { action: 'allow', effect: ['read'] })
    const { body } = await client.redeem(back.url.searchParams.get('code') ?? '')
    const agent = await signIn.tokens?.verify(body.access_token, '/mcp')
    expect(agent).toMatchObject({ id: 'eve', person: { user: 'eve', groups: ['ops', 'night'] } })
    expect(agent).not.toHaveProperty('key')
  })
})

describe('the dashboard', () => {
  it('is entered with a key or a password, in the form that this browser was given', async () => {
    const { url, signIn, users, key, attempts } = await openSignIn()
    await users.save({ name: 'eve', groups: ['ops'], role: 'agent' }, PASSWORD)
    const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
    const { browser } = eve
    expect(await signIn.people?.dashboard.verify(eve.session ?? '', undefined)).toMatchObject({
      id: 'eve',
      role: 'admin',
    })
    const page = await browser.open(`${url}/oauth/sign-in/dashboard`, url)
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const send = async (cookie: string, sent: string, headers: object = { origin: url }) =>
      fetch(page.url, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, ...headers },
        body: new URLSearchParams({ token: sent, action: 'key', key }),
      })
    const cookie = `portolan_visit=${browser.cookie('portolan_visit')}`
    for (const refused of [
      await send('', token),
      await send('portolan_visit=', token),
      await send(cookie, 'forged'),
      await send(cookie, token, { origin: 'https://evil.example' }),
    ]) {
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain('did not come from this page')
    }
    const entered = await send(cookie, token)
    expect(entered.status).toBe(303)
    expect(entered.headers.get('location')).toBe('/')
    expect(entered.headers.get('set-cookie')).toMatch(
      /^portolan_key=pts_[\w-]{43}; Path=\/api\/dashboard; HttpOnly; SameSite=Strict$/,
    )
    const refused = await browser.submit(page, { action: 'password', user: 'eve', password: 'x' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('The name or the password is wrong.')
    expect(attempts).toMatchObject([
      { to: 'dashboard', account: { agent: 'eve', source: 'user' } },
      { to: 'dashboard', account: { agent: 'ada', source: 'key' } },
      { to: 'dashboard', problem: 'The name or the password is wrong.' },
    ])
  })
})

describe('the provider of the team', () => {
  it('signs people in to clients and to the dashboard, in their own browser only', async () => {
    let idp: TeamIdp | undefined
    const { url, signIn } = await openSignIn({
      async provider(origin) {
        idp = await startTeamIdp(`${origin}/oauth/provider/callback`)
        const { issuer, clientId, clientSecret } = idp
        const scopes = ['openid', 'email', 'profile']
        return { issuer, clientId, clientSecret, scopes, groupsClaim: 'groups' }
      },
    })
    if (!idp) throw new Error('No provider')
    const { issuer } = idp
    idp.person = { sub: 'u-1', email: 'ada@team.example', email_verified: true, groups: ['staff'] }
    const ada = await new DashboardPerson(url).atProvider(issuer)
    expect(await signIn.people?.dashboard.verify(ada.session ?? '', undefined)).toMatchObject({
      id: 'ada@team.example',
      role: 'viewer',
      person: { groups: ['staff'] },
    })
    const client = await new OAuthClient(url).register()
    const page = await client.open()
    expect(page.text).toContain(`Continue with ${new URL(issuer).host}`)
    const consent = await client.browser.open(`${page.url.href}/provider`, [url, issuer])
    expect(consent.text).toContain('as <strong>ada@team.example</strong>')
    expect(consent.text).toContain('You are signed in through your identity provider')
    const elsewhere = await new Browser().open(`${url}/oauth/provider/callback?code=x&state=y`, url)
    expect(elsewhere).toMatchObject({ status: 400 })
    expect(elsewhere.text).toContain('Nobody was signed in')
    const unsent = await new Browser().open(`${url}/oauth/sign-in/dashboard/finish`, url)
    expect(unsent.status).toBe(400)
    expect(unsent.text).toContain('You are not signed in')
  })
})

describe('metadata', () => {
  it('leads from the endpoint to the sign-in, and to nothing else', async () => {
    const { url, signIn } = await openSignIn()
    const get = async (path: string) => fetch(`${url}${path}`)
    const about = await get('/.well-known/oauth-protected-resource/mcp')
    expect(about.headers.get('access-control-allow-origin')).toBe('*')
    expect(await about.json()).toMatchObject({
      resource: `${url}/mcp`,
      authorization_servers: [url],
    })
    for (const path of ['/sse', '/ws'])
      expect((await get(`/.well-known/oauth-protected-resource${path}`)).status).toBe(200)
    for (const path of [
      '/.well-known/oauth-protected-resource/health',
      '/.well-known/oauth-protected-resources',
      '/health',
    ])
      expect((await get(path)).status).toBe(404)
    expect(await (await get('/.well-known/oauth-authorization-server')).json()).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      registration_endpoint: `${url}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
    })
    const challenge = signIn.challenge('/mcp')
    expect(challenge(new GatewayError('UNAUTHENTICATED', 'x', { reason: 'no_credential' }))).toBe(
      `Bearer realm="portolan", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:write tools:delete"`,
    )
    expect(challenge(new GatewayError('UNAUTHENTICATED', 'x'))).toContain('error="invalid_token"')
    const more = challenge(
      new GatewayError('INSUFFICIENT_SCOPE', 'x', { data: { effects: ['write', 'read'] } }),
    )
    expect(more).toContain('error="insufficient_scope"')
    expect(more).toContain('scope="tools:read tools:write"')
  })

  it('names the provider where that issues the tokens, and has no pages then', async () => {
    const { url, signIn } = await openSignIn({
      mode: 'provider',
      provider: async () => ({
        issuer: 'https://idp.example',
        scopes: ['mcp'],
        groupsClaim: 'groups',
      }),
    })
    const about = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)
    expect(await about.json()).toMatchObject({
      authorization_servers: ['https://idp.example'],
      scopes_supported: ['mcp'],
    })
    for (const path of ['/oauth/authorize', '/.well-known/oauth-authorization-server'])
      expect((await fetch(`${url}${path}`)).status).toBe(404)
    expect(signIn.tokens).toBeUndefined()
    expect(signIn.people).toBeUndefined()
  })
})
