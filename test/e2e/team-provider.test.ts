import { createServer } from 'node:http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { useToken } from '../support/sign-in/oauth-client.ts'
import { type Person, SigningClient } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { startTeamIdp } from '../support/sign-in/team-idp.ts'

const ECHO = {
  name: 'execute_tool',
  arguments: { server: 'files', tool: 'echo', args: { text: 'ahoy' } },
}

const GROUP_RULES = {
  groups: {
    platform: { match: { claim: 'groups', any: ['platform'] }, allow: { servers: ['files'] } },
  },
}

it('signs people in at the provider of their team, with its groups', async () => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const idp = await startTeamIdp(`${origin}/oauth/provider/callback`)
  const { issuer, clientId, clientSecret } = idp
  const gateway = await startWithSignIn(
    {
      auth: { provider: { issuer, clientId, clientSecret } },
      listen: { publicUrl: origin },
    },
    { rules: GROUP_RULES, args: ['--port', String(port)] },
  )
  const atProvider: Person = async (browser, first) => {
    const link = /href="([^"]+\/provider)"/.exec(first.text)?.[1] ?? ''
    const consent = await browser.open(`${origin}${link}`, [origin, issuer])
    expect(consent.text).toContain('through your identity provider')
    return browser.submit(consent, { action: 'allow', effect: ['read', 'write'] })
  }
  idp.person = { sub: 'u-1', email: 'ada@team.example', email_verified: true, groups: ['platform'] }
  const ada = await new SigningClient(`${origin}/mcp`, atProvider).connect()
  expect(JSON.stringify(await ada.callTool(ECHO))).toContain('ahoy')
  // Nobody has verified this address, which is somebody else's.
  idp.person = { sub: 'u-2', email: 'ada@team.example', email_verified: false, groups: ['sales'] }
  const eve = await new SigningClient(`${origin}/mcp`, atProvider).connect()
  expect(await eve.callTool(ECHO)).toMatchObject({ isError: true })
  await expect
    .poll(() => gateway.folder.read('data/audit.jsonl'))
    .toMatch(/"agent_id":"u-2".*"user":"u-2","groups":\["sales"\]/)
  expect(gateway.folder.read('data/audit.jsonl')).toContain('"user":"ada@team.example"')
  await Promise.all([ada.close(), eve.close()])
})

it('accepts the tokens of the team’s provider, and sends clients there for them', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const stranger = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k1' }] }
  const http = createServer((request, response) => {
    const isMetadata = request.url === '/.well-known/openid-configuration'
    const metadata = { issuer, jwks_uri: `${issuer}/jwks` }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isMetadata ? metadata : jwks))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const gateway = await startWithSignIn({
    auth: { server: { enabled: 'auto' }, provider: { issuer, audience: 'portolan' } },
    listen: { publicUrl: 'https://mcp.example.com' },
  })
  const sign = async (claims: object, audience = 'portolan', key = privateKey) =>
    new SignJWT({ email: 'ada@team.example', email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('u-1')
      .setExpirationTime('5m')
      .sign(key)
  const status = async (token: string) => (await useToken(`${gateway.url}/mcp`, token)).status
  expect(await status(await sign({}))).toBe(200)
  expect(await status(await sign({}, 'another-service'))).toBe(401)
  expect(await status(await sign({}, 'portolan', stranger.privateKey))).toBe(401)
  const metadata = await fetch(`${gateway.url}/.well-known/oauth-protected-resource/mcp`)
  expect(await metadata.json()).toMatchObject({
    resource: 'https://mcp.example.com/mcp',
    authorization_servers: [issuer],
    scopes_supported: ['openid', 'profile', 'email'],
  })
  expect((await fetch(`${gateway.url}/oauth/register`, { method: 'POST' })).status).toBe(404)
})
