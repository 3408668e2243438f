import { createServer } from 'node:http'
import { once } from 'node:events'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  aCaller,
  aDirectory,
  refusal,
  withHandles,
  withKey,
} from '../../test/support/a-directory.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Rules } from '../gateway/agents/rules.ts'
import { createHandles } from './handles.ts'
import { createJwtVerifier } from './jwt.ts'

const rulesFor = (agents: string[], denyOnMissingAgent = false): Rules => ({
  agents: Object.fromEntries(agents.map((id) => [id, { allow: { servers: ['*'] } }])),
  denyOnMissingAgent,
})

const directoryOf = (rules: Rules | undefined, defaultAgent?: string) =>
  aDirectory({ rules, defaultAgent })

async function withProvider() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  let asked = 0
  const provider = createServer((_, response) => {
    asked++
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void provider.close())
  const address = provider.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const clock = { now: Date.now() }
  const jwt = createJwtVerifier(
    {
      jwksUrl: `http://127.0.0.1:${address.port}/jwks`,
      audience: 'portolan',
      issuer: 'https://id.example',
      agentClaim: 'agent',
      roleClaim: 'portolan_role',
    },
    () => clock.now,
  )
  const sign = async (claims: Record<string, unknown>) => {
    const exp = Math.floor(Date.now() / 1000) + 5 * 60
    return new SignJWT({ iss: 'https://id.example', aud: 'portolan', agent: 'ada', exp, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey)
  }
  const directory = aDirectory({ jwt, credentialRequired: () => true })
  return { directory, sign, clock, asked: () => asked }
}

describe('a call that presents nothing', () => {
  it('is the default agent when there are no rules', () => {
    expect(directoryOf(undefined).identify(aCaller())).toEqual({ id: 'default', proof: 'fallback' })
  })

  it('is refused, without any fallback, when the rules deny missing agents', async () => {
    expect(
      await refusal(directoryOf(rulesFor(['default'], true), 'default'), aCaller()),
    ).toMatchObject({
      code: 'INVALID_AGENT_ID',
      message: "Missing required parameter 'agent_id'. All tool calls must include agent identity.",
    })
  })

  it('is the configured agent before the one named default', () => {
    expect(directoryOf(rulesFor(['default', 'guest']), 'guest').identify(aCaller())).toMatchObject({
      id: 'guest',
    })
    expect(directoryOf(rulesFor(['default', 'guest'])).identify(aCaller())).toMatchObject({
      id: 'default',
    })
  })

  it('is refused when the configured agent has no rules, even if there is a default', async () => {
    expect(await refusal(directoryOf(rulesFor(['default']), 'ghost'), aCaller())).toMatchObject({
      code: 'FALLBACK_AGENT_NOT_IN_RULES',
      message: expect.stringContaining(
        "Missing 'agent_id' parameter and fallback agent 'ghost' is not configured in gateway rules.",
      ),
    })
  })

  it('is refused when there is no fallback', async () => {
    expect(await refusal(directoryOf(rulesFor(['ada'])), aCaller())).toMatchObject({
      code: 'NO_FALLBACK_CONFIGURED',
      message: expect.stringContaining(
        "Missing 'agent_id' parameter and no fallback agent configured.",
      ),
    })
  })

  it('is refused where a credential is required', async () => {
    const directory = aDirectory({ credentialRequired: () => true })
    expect(await refusal(directory, aCaller())).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })
})

describe('a call that says who it is', () => {
  it('is believed where no credential is required', () => {
    expect(aDirectory().identify(aCaller({ claimedAgent: 'ada' }))).toEqual({
      id: 'ada',
      proof: 'claim',
    })
  })

  it('is not believed where one is', async () => {
    const directory = aDirectory({ credentialRequired: ({ transport }) => transport === 'http' })
    expect(await refusal(directory, aCaller({ claimedAgent: 'admin' }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    expect(
      directory.identify(aCaller({ claimedAgent: 'admin', transport: 'stdio' })),
    ).toMatchObject({ id: 'admin' })
  })

  it('is refused when the id cannot be one', async () => {
    expect(await refusal(aDirectory(), aCaller({ claimedAgent: 'a b' }))).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
  })
})

describe('an API key', () => {
  it('names its agent', async () => {
    const { directory, secret } = await withKey()
    expect(directory.identify(aCaller({ credential: secret }))).toMatchObject({
      id: 'ada',
      proof: 'key',
    })
    expect(directory.identify(aCaller({ credential: secret, claimedAgent: 'ada' }))).toMatchObject({
      id: 'ada',
    })
  })

  it('cannot be used to speak for another agent', async () => {
    const { directory, secret } = await withKey()
    const spoofed = aCaller({ credential: secret, claimedAgent: 'admin' })
    expect(await refusal(directory, spoofed)).toMatchObject({
      code: 'INVALID_AGENT_ID',
      message: "The credential belongs to agent 'ada', not to 'admin'",
    })
  })

  it('is refused once revoked', async () => {
    const { directory, keys, key, secret } = await withKey()
    await keys.revoke(key.id)
    const refused = await refusal(directory, aCaller({ credential: secret }))
    expect(refused).toMatchObject({ code: 'UNAUTHENTICATED', message: 'The API key was revoked' })
  })

  it('is refused once expired', async () => {
    const { directory, secret } = await withKey(Date.now() - 1)
    const refused = await refusal(directory, aCaller({ credential: secret }))
    expect(refused).toMatchObject({ message: 'The API key has expired' })
  })

  it('that is wrong is refused even where none is required', async () => {
    const { keys, secret } = await withKey()
    const directory = aDirectory({ keys })
    for (const credential of [`${secret.slice(0, -2)}zz`, 'hunter2', 'a.b.c', 'pth_x.y']) {
      expect(await refusal(directory, aCaller({ credential, claimedAgent: 'ada' }))).toMatchObject({
        code: 'UNAUTHENTICATED',
      })
    }
  })
})

it('takes a minted handle for the sub-agent it was made for', async () => {
  const handles = createHandles(tempFolder().file('secret'))
  const directory = aDirectory({ handles, credentialRequired: () => true })
  const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: 1000 })
  expect(directory.identify(aCaller({ credential: secret }))).toMatchObject({
    id: 'helper',
    ancestors: ['lead'],
  })
  const posing = aCaller({ credential: secret, claimedAgent: 'lead' })
  expect(await refusal(directory, posing)).toMatchObject({
    code: 'INVALID_AGENT_ID',
  })
})

describe('a handle passed as agent_id', () => {
  it('makes the sub-agent of the call, even where a credential is required', () => {
    const { handles, mint } = withHandles()
    const directory = aDirectory({ handles, credentialRequired: () => true })
    expect(directory.identify(aCaller({ claimedAgent: mint('ada') }))).toMatchObject({
      id: 'helper',
      proof: 'handle',
      ancestors: ['ada'],
    })
  })

  it('is taken on a connection of whoever minted it, and refused on any other', async () => {
    const { handles, mint } = withHandles()
    const { keys, secret } = await withKey()
    const directory = aDirectory({ handles, keys })
    const call = (parent: string) => aCaller({ credential: secret, claimedAgent: mint(parent) })
    expect(directory.identify(call('ada'))).toMatchObject({ id: 'helper' })
    expect(await refusal(directory, call('eve'))).toMatchObject({ code: 'INVALID_AGENT_ID' })
  })

  it('is refused when it is forged', async () => {
    const { handles, mint } = withHandles()
    const forged = aCaller({ claimedAgent: `${mint('ada').slice(0, -3)}xyz` })
    expect(await refusal(aDirectory({ handles }), forged)).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })
})

describe('a JSON Web Token', () => {
  it('names its agent by the configured claim, and is checked once', async () => {
    const { directory, sign, asked } = await withProvider()
    const credential = await sign({})
    expect(await directory.identify(aCaller({ credential }))).toMatchObject({
      id: 'ada',
      proof: 'jwt',
    })
    const again = directory.identify(aCaller({ credential }))
    expect(again).not.toBeInstanceOf(Promise)
    expect(asked()).toBe(1)
  })

  it('has the role that its claim names, and none where that is not one of ours', async () => {
    const { directory, sign } = await withProvider()
    const roleOf = async (portolan_role: unknown) =>
      (await directory.identify(aCaller({ credential: await sign({ portolan_role }) }))).role
    expect(await roleOf('viewer')).toBe('viewer')
    expect(await roleOf('root')).toBeUndefined()
    expect(await roleOf(undefined)).toBeUndefined()
  })

  it('ends when it says so, although it was remembered', async () => {
    const { directory, sign, clock } = await withProvider()
    const credential = await sign({})
    await directory.identify(aCaller({ credential }))
    clock.now += 6 * 60_000
    expect(await refusal(directory, aCaller({ credential }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  it.each([
    ['another audience', { aud: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no agent', { agent: undefined }],
    ['no end', { exp: undefined }],
    ['a key for its agent', { agent: 'ptk_0123456789ab' }],
    ['a strange agent id', { agent: 'a b' }],
  ])('is refused with %s', async (_, claims) => {
    const { directory, sign } = await withProvider()
    const credential = await sign(claims)
    expect(await refusal(directory, aCaller({ credential }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  it('is refused when it speaks for another agent than is claimed', async () => {
    const { directory, sign } = await withProvider()
    const spoofed = aCaller({ credential: await sign({}), claimedAgent: 'admin' })
    expect(await refusal(directory, spoofed)).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
  })

  it('fails as an outage when the provider cannot be reached', async () => {
    const { sign } = await withProvider()
    const jwt = createJwtVerifier({ jwksUrl: 'http://127.0.0.1:1/jwks', audience: 'portolan' })
    const credential = await sign({})
    expect(await refusal(aDirectory({ jwt }), aCaller({ credential }))).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
    })
  })
})
