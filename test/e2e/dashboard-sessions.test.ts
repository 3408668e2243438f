import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { auditOf } from '../support/audit-of.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { freePort } from '../support/free-port.ts'
import { DASHBOARD_SIGN_IN, DashboardPerson } from '../support/sign-in/dashboard-person.ts'
import { OAuthClient, useToken } from '../support/sign-in/oauth-client.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { type SignInGateway, startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { startTeamIdp } from '../support/sign-in/team-idp.ts'
import type { Later } from '../support/temp-folder.ts'

const ROLES = { adminGroups: ['platform'], viewerGroups: ['support', 'sales'] }
const PASSWORD = 'correct horse battery'

/** Eve runs the gateway, Zoe may look, and Tom is anybody. */
async function withPeople(gateway: SignInGateway): Promise<SignInGateway> {
  const storage = await openStorage({ home: gateway.folder.file('data') })
  const users = createUsers(storage)
  await users.save({ name: 'eve', groups: ['platform'], role: 'agent' }, PASSWORD)
  await users.save({ name: 'zoe', groups: ['sales'], role: 'agent' }, PASSWORD)
  await users.save({ name: 'tom', groups: ['crew'], role: 'agent' }, PASSWORD)
  await users.save({ name: 'uma', groups: [], role: 'viewer' }, PASSWORD)
  await storage.close()
  return gateway
}

const start = async (later?: Later) =>
  withPeople(await startWithSignIn({ auth: ROLES }, later ? { later } : {}))

/** One gateway for most tests: starting one takes seconds. */
const undo: (() => void | Promise<void>)[] = []
let running: Promise<SignInGateway>
beforeAll(() => {
  running = start((step) => void undo.push(step))
})
afterAll(async () => {
  await running
  for (const step of undo.toReversed()) await step()
})

describe('signing in to the dashboard', () => {
  it('is done with a name and a password, and groups give the role', async () => {
    const { url } = await running
    const as = async (name: string) => new DashboardPerson(url).byPassword(name, PASSWORD)
    const [eve, zoe, tom, uma] = [
      await as('eve'),
      await as('zoe'),
      await as('tom'),
      await as('uma'),
    ]
    expect((await eve.ask('GET /me')).value).toMatchObject({
      role: 'admin',
      agent: 'eve',
      via: 'cookie',
    })
    expect((await eve.ask('POST /config/reload')).status).toBe(200)
    expect((await zoe.ask('GET /me')).value).toMatchObject({ role: 'viewer', agent: 'zoe' })
    expect((await zoe.ask('GET /overview')).status).toBe(200)
    expect((await zoe.ask('POST /config/reload')).status).toBe(403)
    expect((await tom.ask('GET /me')).value).toMatchObject({ role: 'agent', agent: 'tom' })
    expect((await tom.ask('GET /overview')).status).toBe(403)
    expect((await tom.ask('GET /connections')).status).toBe(200)
    expect((await uma.ask('GET /me')).value).toMatchObject({ role: 'viewer' })
    await expect(as('nobody')).rejects.toThrow('The name or the password is wrong')
  })

  it('is done at the provider of the team, whose groups count', async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const idp = await startTeamIdp(`${origin}/oauth/provider/callback`)
    const { issuer, clientId, clientSecret } = idp
    await startWithSignIn(
      {
        auth: { ...ROLES, provider: { issuer, clientId, clientSecret } },
        listen: { publicUrl: origin },
      },
      { args: ['--port', String(port)] },
    )
    idp.person = {
      sub: 'u-1',
      email: 'ada@team.example',
      email_verified: true,
      groups: ['platform'],
    }
    const ada = await new DashboardPerson(origin).atProvider(issuer)
    expect((await ada.ask('GET /me')).value).toMatchObject({
      role: 'admin',
      agent: 'ada@team.example',
    })
    idp.person = { sub: 'u-2', groups: ['crew'] }
    const other = await new DashboardPerson(origin).atProvider(issuer)
    expect((await other.ask('GET /me')).value).toMatchObject({ role: 'agent', agent: 'u-2' })
  })

  it('is done with a key, which the browser does not keep', async () => {
    const { url, keys } = await running
    const admin = await keys.create('harbour', { role: 'admin' })
    const onPage = await new DashboardPerson(url).byKey(admin.secret)
    expect((await onPage.ask('GET /me')).value).toMatchObject({ role: 'admin', agent: 'harbour' })
    const login = await dashboardOf(url)('POST /login', { body: { key: admin.secret } })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(cookie).toMatch(/^portolan_key=pts_/)
    const inForm = dashboardOf(url, { cookie })
    expect((await inForm('GET /me')).value).toMatchObject({ role: 'admin' })
    await keys.revoke(admin.key.id)
    expect((await onPage.ask('GET /me')).status).toBe(401)
    expect((await inForm('GET /me')).status).toBe(401)
  })

  it('is done only in the form that this browser was given', async () => {
    const { url, key } = await running
    const person = new DashboardPerson(url)
    const page = await person.open()
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const send = async (headers: Record<string, string>, sent = token) =>
      fetch(`${url}${DASHBOARD_SIGN_IN}`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ token: sent, action: 'key', key }),
      })
    const cookie = `portolan_visit=${person.browser.cookie('portolan_visit')}`
    expect((await send({ origin: url })).status).toBe(400)
    expect((await send({ cookie })).status).toBe(400)
    expect((await send({ cookie, origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ cookie, origin: url, 'sec-fetch-site': 'cross-site' })).status).toBe(400)
    expect((await send({ cookie, origin: url }, 'forged')).status).toBe(400)
    const entered = await send({ cookie, origin: url })
    expect(entered.status).toBe(303)
    expect(entered.headers.get('location')).toBe('/')
    expect(entered.headers.get('set-cookie')).toMatch(
      /^portolan_key=pts_[\w-]{43}; Path=\/api\/dashboard; HttpOnly; SameSite=Strict$/,
    )
  })

  it('gives a session that opens no endpoint, and tokens of clients open no dashboard', async () => {
    const { url } = await running
    const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
    expect((await useToken(`${url}/mcp`, eve.session)).status).toBe(401)
    const client = await new OAuthClient(url).register()
    const code = await client.code(
      async (browser, first) => {
        const consent = await browser.submit(first, {
          action: 'password',
          user: 'eve',
          password: PASSWORD,
        })
        return browser.submit(consent, { action: 'allow', effect: ['read'] })
      },
      { resource: url },
    )
    const { body } = await client.redeem(code, { resource: url })
    expect((await useToken(`${url}/mcp`, body.access_token)).status).toBe(200)
    const ask = dashboardOf(url, { authorization: `Bearer ${body.access_token}` })
    expect((await ask('GET /overview')).status).toBe(403)
    expect((await ask('GET /keys')).value.keys).toEqual([])
    expect((await ask('GET /sessions')).value.sessions).toEqual([])
  })
})

describe('sessions', () => {
  it('are listed to whoever has them, and to an admin, and ended by both', async () => {
    const gateway = await start()
    const { url } = gateway
    const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
    const tom = await new DashboardPerson(url).byPassword('tom', PASSWORD)
    const client = await new OAuthClient(url).register()
    const { body } = await client.redeem(await client.code(withKey(gateway.key)))
    const all = (await eve.ask('GET /sessions')).value.sessions ?? []
    expect(all.map(({ kind, who, isThis }) => `${kind} ${who} ${isThis}`).toSorted()).toEqual([
      'browser ada false',
      'client ada false',
      'dashboard eve true',
      'dashboard tom false',
    ])
    expect(all.find(({ kind }) => kind === 'client')).toMatchObject({
      name: 'Harbour Editor',
      via: 'key',
    })
    const own = (await tom.ask('GET /sessions')).value.sessions ?? []
    expect(own.map(({ kind, who }) => `${kind} ${who}`)).toEqual(['dashboard tom'])
    const ada = dashboardOf(url, { authorization: `Bearer ${gateway.key}` })
    expect((await ada('GET /sessions')).value.sessions?.map(({ kind }) => kind).toSorted()).toEqual(
      ['browser', 'client'],
    )
    const idOf = (wanted: string) => ({
      session: all.find(({ kind, who }) => `${kind} ${who}` === wanted)?.id ?? '',
    })
    const end = async (by: DashboardPerson, wanted: string) =>
      (await by.ask('POST /sessions/:session/end', { params: idOf(wanted) })).status
    expect(await end(tom, 'dashboard eve')).toBe(404)
    expect(await end(tom, 'client ada')).toBe(404)
    expect((await useToken(`${url}/mcp`, body.access_token)).status).toBe(200)
    expect(await end(eve, 'client ada')).toBe(200)
    expect((await useToken(`${url}/mcp`, body.access_token)).status).toBe(401)
    expect((await client.refresh(body.refresh_token)).status).toBe(400)
    expect(await end(tom, 'dashboard tom')).toBe(200)
    expect((await tom.ask('GET /me')).status).toBe(401)
    expect((await eve.ask('GET /me')).status).toBe(200)
  })

  it('are over when their browser signs out', async () => {
    const { url } = await running
    const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
    const { ask } = eve
    expect((await ask('GET /me')).status).toBe(200)
    await ask('POST /logout')
    expect((await ask('GET /me')).status).toBe(401)
  })
})

describe('keys', () => {
  it('are made by an admin, shown once, listed without their secret and revoked', async () => {
    const { url } = await running
    const eve = await new DashboardPerson(url).byPassword('eve', PASSWORD)
    const made = await eve.ask('POST /keys', { body: { agent: 'bot', role: 'agent', days: 30 } })
    const { secret, key } = made.value
    expect(key).toMatchObject({ agent: 'bot', role: 'agent', state: 'good' })
    expect((await useToken(`${url}/mcp`, secret)).status).toBe(200)
    const listed = await eve.ask('GET /keys')
    expect(listed.value.keys.map(({ agent }) => agent)).toEqual(
      expect.arrayContaining(['bot', 'ada']),
    )
    expect(listed.text).not.toContain(secret.slice(20))
    expect((await eve.ask('POST /keys', { body: { agent: 'a b', role: 'agent' } })).status).toBe(
      400,
    )
    const revoked = await eve.ask('POST /keys/:key/revoke', { params: { key: key.id } })
    expect(revoked.status).toBe(200)
    expect((await useToken(`${url}/mcp`, secret)).status).toBe(401)
    const { keys } = (await eve.ask('GET /keys')).value
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({ state: 'revoked' })
    expect(keys.find(({ agent }) => agent === 'ada')).toMatchObject({ state: 'good' })
  })

  it('of others are neither seen nor touched by anybody else', async () => {
    const { url, keyId, keys } = await running
    const own = await keys.create('tom')
    const tom = await new DashboardPerson(url).byPassword('tom', PASSWORD)
    expect((await tom.ask('GET /keys')).value.keys.map(({ id }) => id)).toEqual([own.key.id])
    const revoke = async (key: string) =>
      (await tom.ask('POST /keys/:key/revoke', { params: { key } })).status
    expect(await revoke(keyId)).toBe(404)
    expect(await revoke(own.key.id)).toBe(200)
    expect((await tom.ask('POST /keys', { body: { agent: 'tom', role: 'admin' } })).status).toBe(
      403,
    )
  })
})

it('what people change here is in the audit, with who and what, and without secrets', async () => {
  const gateway = await start()
  const eve = await new DashboardPerson(gateway.url).byPassword('eve', PASSWORD)
  const tom = await new DashboardPerson(gateway.url).byPassword('tom', PASSWORD)
  const made = await eve.ask('POST /keys', { body: { agent: 'bot', role: 'viewer', days: 30 } })
  const { secret, key } = made.value
  await tom.ask('POST /keys', { body: { agent: 'tom', role: 'admin' } })
  await tom.ask('POST /keys/:key/revoke', { params: { key: key.id } })
  await eve.ask('POST /keys/:key/revoke', { params: { key: key.id } })
  const { sessions } = (await tom.ask('GET /sessions')).value
  const session = sessions?.[0]?.id ?? ''
  await tom.ask('POST /sessions/:session/end', { params: { session } })
  const changes = () =>
    auditOf(gateway)
      .filter(({ operation }) => operation === 'dashboard')
      .map(({ agent_id: who, decision, metadata }) => {
        const { tool, arguments: details, outcome } = Object(metadata)
        return [who, decision, tool, typeof details === 'string' ? JSON.parse(details) : outcome]
      })
  const signIn = { to: 'dashboard', with: 'user' }
  await expect.poll(changes).toEqual([
    ['eve', 'ALLOW', 'sign-in', signIn],
    ['tom', 'ALLOW', 'sign-in', signIn],
    ['eve', 'ALLOW', 'keys.create', { key: key.id, agent: 'bot', role: 'viewer', days: 30 }],
    ['tom', 'DENY', 'POST /keys', 'ROLE_REQUIRED'],
    ['eve', 'ALLOW', 'keys.revoke', { key: key.id }],
    ['tom', 'ALLOW', 'sessions.end', { session }],
  ])
  expect(gateway.folder.read('data/audit.jsonl')).not.toContain(secret.slice(20))
})
