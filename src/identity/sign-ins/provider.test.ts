import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openVault } from '../vault/open-vault.ts'
import { type Attempt, type ProviderParts, toMachineProvider, toProvider } from './provider.ts'
import { revokeTokens } from './revoke-tokens.ts'
import type { OAuthSettings } from './server.ts'
import { type StoredClient, recordNames } from './stored.ts'

const ISSUER = 'https://issuer.example'
const HERE = 'https://gateway.example/oauth/callback'
const TOKENS = { access_token: 'at', token_type: 'bearer', issuer: ISSUER }

/** The sign-in of a person to a server, and what it forgets and keeps. */
function aProvider(oauth: Partial<OAuthSettings> = {}, parts: Partial<ProviderParts> = {}) {
  const vault = openVault(tempFolder().path, { PORTOLAN_KEYRING: 'off' })
  const client = vault.record<StoredClient>('client')
  const attempt: Attempt = {}
  const done: unknown[] = []
  const make = (redirectUrl = HERE) =>
    toProvider({
      server: {
        name: 'one',
        url: 'https://one.example/mcp',
        oauth: { tokens: 'per-person', grant: 'authorization_code', ...oauth },
      },
      client,
      redirectUrl,
      clientMetadataUrl: undefined,
      tokens: () => undefined,
      saveTokens: async (tokens) => void done.push(tokens),
      forgetTokens: async () => void done.push('forgotten'),
      attempt,
      ...parts,
    })
  return { provider: make(), make, client, attempt, done }
}

describe('a client that registers itself', () => {
  it('is known again at the same address only', async () => {
    const { provider, make, client } = aProvider()
    expect(await provider.clientInformation()).toBeUndefined()
    await provider.saveClientInformation?.({ client_id: 'c1' })
    expect(await provider.clientInformation()).toEqual({ client_id: 'c1' })
    expect(await make('https://other.example/callback').clientInformation()).toBeUndefined()
    await provider.saveTokens(TOKENS)
    expect(await client.read(), 'it has no credentials of the configuration').toEqual({
      client: { client_id: 'c1' },
      redirectUrl: HERE,
    })
  })

  it('says who it is and where the browser comes back to', () => {
    const { provider } = aProvider({ scope: 'mail' }, { clientMetadataUrl: 'https://m.example' })
    expect(provider.clientMetadata).toMatchObject({
      redirect_uris: [HERE],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'mail',
    })
    expect(provider).toMatchObject({ clientMetadataUrl: 'https://m.example' })
    expect(aProvider().provider.clientMetadata).not.toHaveProperty('scope')
    expect(aProvider().provider).not.toHaveProperty('clientMetadataUrl')
  })
})

describe('a client that was registered by hand', () => {
  const oauth = { clientId: 'c1', clientSecret: 'hush' }

  it('is sent to the authorization server that took it first, and to no other', async () => {
    const { provider } = aProvider(oauth)
    expect(await provider.clientInformation()).toStrictEqual({
      client_id: 'c1',
      client_secret: 'hush',
    })
    await provider.saveTokens(TOKENS)
    expect(await provider.clientInformation()).toMatchObject({ issuer: ISSUER })
    const { issuer: _, ...nameless } = TOKENS
    await provider.saveTokens(nameless)
    expect(await provider.clientInformation()).toMatchObject({ issuer: ISSUER })
    expect(provider).not.toHaveProperty('saveClientInformation')
  })

  it('is sent to the one that the configuration names, whichever took it', async () => {
    const { provider } = aProvider({ clientId: 'c1', issuer: 'https://named.example' })
    await provider.saveTokens(TOKENS)
    expect(await provider.clientInformation()).toStrictEqual({
      client_id: 'c1',
      issuer: 'https://named.example',
    })
  })
})

describe('a sign-in that runs', () => {
  it('keeps what the browser has to bring back', async () => {
    const { provider, attempt, done } = aProvider({}, { attempt: { state: 's1' } })
    expect(await provider.state?.()).toBe('s1')
    expect(aProvider().provider).not.toHaveProperty('state')
    expect([await provider.codeVerifier(), attempt]).toEqual(['', {}])
    await provider.saveCodeVerifier('v1')
    expect(await provider.codeVerifier()).toBe('v1')
    await provider.saveTokens(TOKENS)
    expect(done).toEqual([TOKENS])
  })

  it.each([
    ['all', ['forgotten'], true],
    ['tokens', ['forgotten'], false],
    ['client', [], true],
    ['verifier', [], false],
  ] as const)('forgets what is no longer good: %s', async (what, done, forgetsClient) => {
    const one = aProvider()
    await one.provider.saveClientInformation?.({ client_id: 'c1' })
    await one.provider.invalidateCredentials?.(what)
    expect(one.done).toEqual(done)
    expect((await one.provider.clientInformation()) === undefined).toBe(forgetsClient)
  })
})

it('records of other entries and other people have other names', () => {
  const { signIn, usage, earlier, client, pending } = recordNames
  const a = { name: 'a', url: 'https://a' }
  const names = [
    signIn(a, 'ada'),
    signIn(a, 'bob'),
    signIn({ ...a, name: 'b' }, 'ada'),
    signIn({ ...a, url: 'https://b' }, 'ada'),
    usage(a, 'ada'),
    ...Object.values(earlier(a, 'ada')),
    client('https://a'),
    pending('https://a'),
  ]
  expect(new Set(names).size).toBe(9)
  for (const name of names) expect(name).toMatch(/^[a-z-]+(\.[\da-f]{32}){1,2}$/)
})

/** What an authorization server is sent that says this of itself. */
async function revoked(
  tokens: Parameters<typeof revokeTokens>[0],
  client: Parameters<typeof revokeTokens>[1],
  metadata: object = {},
) {
  const sent: { url: string; type: string | null; body: string; authorization: string | null }[] =
    []
  await revokeTokens(tokens, client, async (url, init) => {
    if (init?.method === 'POST') {
      const headers = new Headers(init.headers)
      sent.push({
        url: String(url),
        type: headers.get('content-type'),
        body: await new Response(init.body).text(),
        authorization: headers.get('authorization'),
      })
    }
    return Response.json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/a`,
      token_endpoint: `${ISSUER}/t`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      revocation_endpoint: `${ISSUER}/revoke`,
      ...metadata,
    })
  })
  return sent
}

describe('tokens of a person who signs out', () => {
  const CLIENT = { client_id: 'c1' }

  it('are revoked where their authorization server can do that: the refresh token, if there is one', async () => {
    const url = `${ISSUER}/revoke`
    expect(await revoked(TOKENS, CLIENT)).toEqual([
      {
        url,
        type: 'application/x-www-form-urlencoded',
        body: 'token=at&token_type_hint=access_token&client_id=c1',
        authorization: null,
      },
    ])
    expect(await revoked({ ...TOKENS, refresh_token: 'rt' }, CLIENT)).toMatchObject([
      { url, body: 'token=rt&token_type_hint=refresh_token&client_id=c1' },
    ])
  })

  it('are revoked by the client that got them', async () => {
    const client = { client_id: 'c1', client_secret: 'hush' }
    const by = async (method: string) =>
      revoked(TOKENS, client, { token_endpoint_auth_methods_supported: [method] })
    expect(await by('client_secret_post')).toMatchObject([
      { body: expect.stringContaining('&client_id=c1&client_secret=hush'), authorization: null },
    ])
    expect(await by('client_secret_basic')).toMatchObject([
      {
        body: 'token=at&token_type_hint=access_token',
        authorization: `Basic ${Buffer.from('c1:hush').toString('base64')}`,
      },
    ])
  })

  it('are sent nowhere where nobody says where', async () => {
    const { issuer: _, ...nameless } = TOKENS
    expect(await revoked(nameless, CLIENT)).toEqual([])
    expect(await revoked(TOKENS, undefined)).toEqual([])
    expect(await revoked(TOKENS, CLIENT, { revocation_endpoint: undefined })).toEqual([])
  })
})

/** A server that the gateway signs in to by itself. */
const aMachineServer = (oauth: object) => ({
  name: 'mail',
  url: 'https://mail.example/mcp',
  oauth: { tokens: 'shared', grant: 'client_credentials', clientId: 'known', ...oauth } as const,
})

describe('the gateway as a client of its own', () => {
  it('says who it is and what it wants, to the issuer that is configured', async () => {
    const oauth = { clientSecret: 's3cret', scope: 'mail', issuer: 'https://idp.example' }
    const provider = await toMachineProvider(aMachineServer(oauth))
    expect(await provider.clientInformation()).toEqual({
      client_id: 'known',
      client_secret: 's3cret',
      issuer: 'https://idp.example',
    })
    expect(provider.clientMetadata).toMatchObject({
      client_name: 'Portolan (mail)',
      scope: 'mail',
      token_endpoint_auth_method: 'client_secret_basic',
    })
    const plain = await toMachineProvider(aMachineServer({}))
    expect(plain.clientMetadata.scope).toBeUndefined()
    expect(await plain.clientInformation()).toEqual({ client_id: 'known', client_secret: '' })
  })

  it('proves itself with its key where it has one', async () => {
    const provider = await toMachineProvider(
      aMachineServer({ privateKey: 'pem', clientSecret: 's3cret' }),
    )
    expect(await provider.clientInformation()).toEqual({ client_id: 'known' })
    expect(provider.clientMetadata).toMatchObject({
      client_name: 'Portolan (mail)',
      token_endpoint_auth_method: 'private_key_jwt',
    })
  })
})
