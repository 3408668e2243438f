import { createServer } from 'node:http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { type ProviderSettings, type SignInSettings, signInMode } from '../sign-in-mode.ts'
import { createProviderTokens } from './provider-tokens.ts'

const SERVER = {
  enabled: 'auto',
  registration: true,
  privateHosts: [],
  accessTokenMs: 1,
  refreshTokenMs: 1,
} as const

function settings(
  provider: ProviderSettings | undefined,
  { publicUrl, enabled = 'auto' }: { publicUrl?: string; enabled?: boolean | 'auto' } = {},
): SignInSettings {
  return { listen: { publicUrl, path: '/mcp' }, auth: { server: { ...SERVER, enabled }, provider } }
}

/** A provider that describes itself at these paths, as the issuer below its path. */
async function aProvider(paths: readonly string[], path = '', says?: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const http = createServer((request, response) => {
    const isMetadata = paths.includes(request.url ?? '')
    const body = isMetadata
      ? { issuer: says ?? issuer, jwks_uri: `${origin}/jwks` }
      : { keys: [jwk] }
    const isThere = isMetadata || request.url === '/jwks'
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const issuer = `${origin}${path}`
  const sign = async (claims: Record<string, unknown>) =>
    new SignJWT({ iss: issuer, sub: 'u-1', exp: Date.now() / 1_000 + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey)
  const provider: ProviderSettings = { issuer, scopes: [], groupsClaim: 'groups' }
  return { provider, sign }
}

const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

it.each([
  ['as OpenID does', [OPENID], ''],
  ['as OAuth does', [OAUTH], ''],
  ['as OAuth does, below a path', [`${OAUTH}/team`], '/team'],
  ['as OpenID does, below a path', [`/team${OPENID}`], '/team'],
])('finds the keys of a provider that describes itself %s', async (_, paths, path) => {
  const { provider, sign } = await aProvider(paths, path)
  const tokens = createProviderTokens(settings({ ...provider, audience: 'us' }))
  const token = await sign({ aud: 'us', groups: ['ops'] })
  expect(await tokens?.verify(token)).toMatchObject({
    id: 'u-1',
    person: { user: 'u-1', groups: ['ops'] },
  })
  const others = await sign({ aud: 'them' })
  await expect(async () => tokens?.verify(others)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
})

it('accepts tokens for our public address, or for the endpoint there, where no audience is named', async () => {
  const { provider, sign } = await aProvider([OPENID])
  const tokens = createProviderTokens(settings(provider, { publicUrl: 'https://us.example' }))
  for (const aud of ['https://us.example', 'https://us.example/mcp'])
    expect(await tokens?.verify(await sign({ aud }))).toMatchObject({ id: 'u-1' })
  const others = await sign({ aud: 'https://us.example.evil' })
  await expect(async () => tokens?.verify(others)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  expect(createProviderTokens(settings(provider)), 'for nobody in particular').toBeUndefined()
  expect(createProviderTokens(settings(undefined))).toBeUndefined()
})

it.each([
  ['about another issuer', [OPENID], 'https://evil.example'],
  ['nowhere', [], undefined],
])('believes no metadata that is %s', async (_, paths, says) => {
  const { provider, sign } = await aProvider(paths, '', says)
  const tokens = createProviderTokens(settings({ ...provider, audience: 'us' }))
  const token = await sign({ aud: 'us' })
  await expect(async () => tokens?.verify(token)).rejects.toThrow(/./)
})

it('says who issues the tokens: we, the provider of the team, or nobody', () => {
  const provider = { issuer: 'https://idp.example', scopes: [], groupsClaim: 'groups' }
  const known = { ...provider, clientId: 'us' }
  const publicUrl = 'https://us.example'
  expect(signInMode(settings(undefined))).toBeUndefined()
  expect(signInMode(settings(undefined, { publicUrl }))).toBe('embedded')
  expect(signInMode(settings(undefined, { publicUrl, enabled: false }))).toBeUndefined()
  expect(signInMode(settings(undefined, { enabled: true }))).toBe('embedded')
  expect(signInMode(settings(provider, { publicUrl }))).toBe('provider')
  expect(signInMode(settings(provider, { publicUrl, enabled: false }))).toBe('provider')
  expect(signInMode(settings(provider, { publicUrl, enabled: true }))).toBe('embedded')
  expect(signInMode(settings(known, { publicUrl }))).toBe('embedded')
  expect(signInMode(settings(known, { publicUrl, enabled: false }))).toBeUndefined()
})

it('a token that does not name its person is refused, and is no failure of ours', async () => {
  const { provider, sign } = await aProvider([OPENID])
  const tokens = createProviderTokens(
    settings({ ...provider, audience: 'us', userClaim: 'preferred_username' }),
  )
  const token = await sign({ aud: 'us' })
  await expect(async () => tokens?.verify(token)).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: expect.stringContaining('preferred_username'),
  })
})
