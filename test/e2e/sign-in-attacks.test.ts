import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { OAuthClient, useToken } from '../support/sign-in/oauth-client.ts'
import { CALLBACK, withKey } from '../support/sign-in/signing-client.ts'
import { type SignInGateway, startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import type { Later } from '../support/temp-folder.ts'

const undo: (() => void | Promise<void>)[] = []
const later: Later = (one) => void undo.unshift(one)
let gateway: SignInGateway
let mcp: string

beforeAll(async () => {
  gateway = await startWithSignIn({}, { later })
  mcp = `${gateway.url}/mcp`
})
afterAll(async () => {
  for (const one of undo) await one()
})

const aClient = async () => new OAuthClient(gateway.url).register()

async function signedIn() {
  const client = await aClient()
  const code = await client.code(withKey(gateway.key))
  const { body } = await client.redeem(code)
  return { client, code, ...body }
}

describe('codes and tokens', () => {
  it('a code is good once; who uses it again ends what came of it', async () => {
    const { client, code, access_token } = await signedIn()
    expect((await useToken(mcp, access_token)).status).toBe(200)
    const again = await client.redeem(code)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await useToken(mcp, access_token)).status).toBe(401)
  })

  it('a code is worth nothing without its verifier, to another client, or for another address', async () => {
    const client = await aClient()
    const stolen = async () => client.code(withKey(gateway.key))
    const guess = await client.redeem(await stolen(), { code_verifier: 'a'.repeat(43) })
    expect(guess).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const other = await aClient()
    const injected = await other.redeem(await stolen(), { code_verifier: client.verifier })
    expect(injected).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const elsewhere = await client.redeem(await stolen(), { redirect_uri: `${CALLBACK}/x` })
    expect(elsewhere).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await client.redeem(await stolen())).status).toBe(200)
  })

  it('gives no code to a client without a challenge', async () => {
    const client = await aClient()
    const answer = await client.open({ code_challenge: '', code_challenge_method: '' })
    expect(answer.url.searchParams.get('error')).toBe('invalid_request')
  })

  it('a used refresh token is of no use to another client', async () => {
    const { client, refresh_token } = await signedIn()
    const next = await client.refresh(refresh_token)
    expect(next.status).toBe(200)
    expect(next.body.refresh_token).not.toBe(refresh_token)
    expect((await (await aClient()).refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect((await useToken(mcp, next.body.access_token)).status).toBe(200)
  })

  it('a revoked token, and one of a revoked key, are refused at once', async () => {
    const { client, access_token } = await signedIn()
    expect((await useToken(mcp, access_token)).status).toBe(200)
    expect((await client.post('/oauth/revoke', { token: access_token })).status).toBe(200)
    expect((await useToken(mcp, access_token)).status).toBe(401)
    const { secret, key } = await gateway.keys.create('grace')
    const other = await aClient()
    const { body } = await other.redeem(await other.code(withKey(secret)))
    expect((await useToken(mcp, body.access_token)).status).toBe(200)
    await gateway.keys.revoke(key.id)
    expect((await useToken(mcp, body.access_token)).status).toBe(401)
    expect((await other.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })
})

describe('audience', () => {
  it('issues no token for somebody else', async () => {
    const client = await aClient()
    for (const resource of ['https://bank.example/mcp', `${gateway.url}/health`]) {
      const answer = await client.open({ resource })
      expect(answer.url.searchParams.get('error')).toBe('invalid_target')
    }
  })

  it('accepts a token only where it was issued for', async () => {
    const client = await aClient()
    const code = await client.code(withKey(gateway.key), { resource: `${gateway.url}/sse` })
    const { body } = await client.redeem(code)
    const refused = await useToken(mcp, body.access_token)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })
})

describe('pages', () => {
  it('send nobody to an address that the client has not registered', async () => {
    const client = await aClient()
    for (const redirect_uri of ['https://evil.example/', `${CALLBACK}.evil.example`]) {
      const page = await client.open({ redirect_uri })
      expect(page).toMatchObject({ status: 400, url: { origin: gateway.url } })
      expect(page.text).not.toContain('evil.example"')
    }
  })

  it('take no consent that was not given on them', async () => {
    const client = await aClient()
    const login = await client.open()
    const consent = await client.browser.submit(login, { action: 'key', key: gateway.key })
    expect(consent.text).toContain('as <strong>ada</strong>')
    const post = async (body: Record<string, string>, headers: Record<string, string>) =>
      client.browser.open(consent.url.href, gateway.url, {
        method: 'POST',
        body: new URLSearchParams(body),
        headers,
      })
    const token = /name="token" value="([^"]+)"/.exec(consent.text)?.[1] ?? ''
    const origin = gateway.url
    expect((await post({ action: 'allow', effect: 'read' }, { origin })).status).toBe(400)
    const others = { action: 'allow', effect: 'read', token }
    expect((await post(others, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(others, { origin: 'http://127.0.0.1:1' })).status).toBe(400)
    expect((await post(others, {})).status).toBe(400)
    expect((await post(others, { origin, 'sec-fetch-site': 'cross-site' })).status).toBe(400)
    const agreed = await post(others, { origin })
    expect(agreed.url.searchParams.get('code')).toMatch(/^ptc_/)
    expect(agreed.url.searchParams.get('iss')).toBe(gateway.url)
  })

  it('belong to the browser that began: nobody signs in for another, or gets their session', async () => {
    const attacker = await aClient()
    const begun = await attacker.open()
    const victim = await aClient()
    const shown = await victim.browser.open(begun.url.href, gateway.url)
    expect(shown).toMatchObject({ status: 400 })
    expect(shown.text).not.toContain('name="key"')
    const before = attacker.browser.cookie('_session')
    await attacker.browser.submit(begun, { action: 'key', key: gateway.key })
    expect(attacker.browser.cookie('_session')).not.toBe(before)
  })

  it('are framed by nobody, run no script and escape what clients call themselves', async () => {
    const client = await new OAuthClient(gateway.url).register({
      client_name: '<img src=x onerror=alert(1)>"',
    })
    const page = await client.open()
    expect(page.text).not.toContain('<img')
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*frame-ancestors 'none'/,
    )
  })
})

describe('client metadata documents', () => {
  it('are fetched from no private address', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const client = new OAuthClient(gateway.url)
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '2130706433',
    ]) {
      client.clientId = `https://${host}:${port}/client.json`
      expect(await client.open()).toMatchObject({ status: 400, url: { origin: gateway.url } })
    }
    client.clientId = 'https://169.254.169.254/latest/meta-data'
    expect((await client.open()).status).toBe(400)
    client.clientId = `http://127.0.0.1:${port}/client.json`
    expect((await client.open()).status).toBe(400)
    expect(connections).toBe(0)
  })
})

it('shows no token in its log, its audit or its metrics', async () => {
  const { access_token, refresh_token, code } = await signedIn()
  await useToken(mcp, access_token)
  await useToken(mcp, `${access_token}x`)
  const metrics = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${gateway.key}` },
  })
  const said = [gateway.log(), gateway.folder.read('data/audit.jsonl'), await metrics.text()].join()
  for (const secret of [access_token, refresh_token, code, gateway.key])
    expect(said).not.toContain(secret)
})
