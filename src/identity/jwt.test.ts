import { once } from 'node:events'
import { createServer } from 'node:http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Agent } from '../gateway/call.ts'
import { type JwtOptions, createJwtVerifier } from './jwt.ts'

/** An identity provider whose key endpoint answers with a status and a body of the test's choice. */
async function aProvider(options: Partial<JwtOptions> = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] }
  const answer = { status: 200, body: JSON.stringify(keys), asked: 0, isSilent: false }
  const provider = createServer((_, response) => {
    answer.asked++
    if (answer.isSilent) return
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    provider.closeAllConnections()
    provider.close()
  })
  const address = provider.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const clock = { now: 1_800_000_000_000 }
  const jwksUrl = `http://127.0.0.1:${address.port}/jwks`
  const verifier = createJwtVerifier({ jwksUrl, audience: 'portolan', ...options }, () => clock.now)
  const sign = async (claims: Record<string, unknown>) =>
    new SignJWT({ aud: 'portolan', sub: 'ada', exp: clock.now / 1000 + 300, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey)
  return { verifier, sign, clock, answer, jwksUrl }
}

const outcome = async (verify: () => Promise<Agent>): Promise<unknown> => {
  try {
    return await verify()
  } catch (error) {
    return error
  }
}

it('accepts a token to the last moment before its end, and not in that moment', async () => {
  const { verifier, sign, clock } = await aProvider()
  const token = await sign({})
  const expiresAt = clock.now + 300_000
  expect(await verifier.verify(token)).toMatchObject({ id: 'ada', proof: 'jwt', expiresAt })
  clock.now = expiresAt - 1
  expect(verifier.verify(token), 'from memory').toMatchObject({ id: 'ada', expiresAt })
  clock.now = expiresAt
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({
    code: 'UNAUTHENTICATED',
  })
})

it('refuses a token that has not begun, and accepts it once it has', async () => {
  const { verifier, sign, clock } = await aProvider()
  const token = await sign({ nbf: clock.now / 1000 + 60 })
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  clock.now += 60_000
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({ id: 'ada' })
})

it('accepts any audience of a list, and none beside it', async () => {
  const { verifier, sign } = await aProvider({ audience: ['x', 'portolan'] })
  for (const aud of ['x', 'portolan', ['y', 'x']])
    expect(await outcome(async () => verifier.verify(await sign({ aud })))).toMatchObject({
      id: 'ada',
    })
  for (const aud of ['y', undefined, []])
    expect(await outcome(async () => verifier.verify(await sign({ aud })))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
})

it('reads keys where the global Response is not the one of fetch, as with an open dashboard', async () => {
  const { verifier, sign } = await aProvider()
  vi.stubGlobal('Response', class extends Response {})
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(await verifier.verify(await sign({ sub: 'ada' }))).toMatchObject({ id: 'ada' })
})

it('asks for an issuer only where one is configured', async () => {
  const strict = await aProvider({ issuer: 'https://id.example' })
  const right = await strict.sign({ iss: 'https://id.example' })
  const wrong = await strict.sign({ iss: 'https://evil.example' })
  expect(await outcome(async () => strict.verifier.verify(right))).toMatchObject({ id: 'ada' })
  expect(await outcome(async () => strict.verifier.verify(wrong))).toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  const open = await aProvider()
  const any = await open.sign({ iss: 'https://any.example' })
  expect(await outcome(async () => open.verifier.verify(any))).toMatchObject({ id: 'ada' })
})

it('takes the agent from the claim "sub" and gives no role, unless configured otherwise', async () => {
  const plain = await aProvider()
  const claims = { sub: 'ada', agent: 'bob', role: 'admin' }
  expect(await plain.verifier.verify(await plain.sign(claims))).toMatchObject({ id: 'ada' })
  expect(await plain.verifier.verify(await plain.sign(claims))).not.toHaveProperty('role')
  const own = await aProvider({ agentClaim: 'agent', roleClaim: 'role' })
  expect(await own.verifier.verify(await own.sign(claims))).toMatchObject({
    id: 'bob',
    role: 'admin',
  })
  expect(
    await own.verifier.verify(await own.sign({ ...claims, role: 'agent' })),
  ).not.toHaveProperty('role')
  expect(
    await outcome(async () => own.verifier.verify(await own.sign({ agent: 7 }))),
  ).toMatchObject({
    code: 'UNAUTHENTICATED',
    message: 'The token\'s claim "agent" is not an agent id',
  })
})

it.each([
  ['an error', 500, '{}'],
  ['something that is not JSON', 200, 'hello'],
  ['something that is no key set', 200, '{"keys": 1}'],
])('reports an outage when the key endpoint answers with %s', async (_, status, body) => {
  const { verifier, sign, answer } = await aProvider()
  const usual = answer.body
  Object.assign(answer, { status, body })
  const token = await sign({})
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    details: { hint: 'Try again once the identity provider can be reached.' },
  })
  Object.assign(answer, { status: 200, body: usual })
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({ id: 'ada' })
})

it('remembers a bounded number of tokens', async () => {
  const { verifier, sign } = await aProvider()
  const token = await sign({})
  const first = await verifier.verify(token)
  for (let n = 0; n < 1_022; n++) await verifier.verify(await sign({ jti: `${n}` }))
  expect(verifier.verify(token), 'from memory').toBe(first)
  for (let n = 0; n < 4; n++) await verifier.verify(await sign({ jti: `late ${n}` }))
  expect(verifier.verify(token)).toBeInstanceOf(Promise)
})

it('names the client of a token, by either of its claims, and none that is no text', async () => {
  const { verifier, sign } = await aProvider()
  const client = async (claims: Record<string, unknown>) =>
    (await verifier.verify(await sign(claims))).client
  expect(await client({ azp: 'editor' })).toBe('editor')
  expect(await client({ client_id: 'shell' })).toBe('shell')
  expect(await client({ azp: 'editor', client_id: 'shell' })).toBe('editor')
  expect(await client({ azp: 7 })).toBeUndefined()
  expect(await verifier.verify(await sign({}))).not.toHaveProperty('client')
})

it('takes agent and person from the account where there is one', async () => {
  const person = { user: 'ada@example.com', groups: ['platform'], claims: {} }
  const { verifier, sign } = await aProvider({ toAccount: () => ({ agent: 'lead', person }) })
  expect(await verifier.verify(await sign({ sub: 'ada' }))).toMatchObject({ id: 'lead', person })
  const plain = await aProvider({ groupsClaim: 'groups' })
  expect(await plain.verifier.verify(await plain.sign({ groups: ['a'] }))).toMatchObject({
    person: { user: 'ada', groups: ['a'] },
  })
})

it('finds out where the keys are when they are first needed, and names the issuer where they are not', async () => {
  const known = await aProvider()
  const jwksUrl = known.jwksUrl
  let asked = 0
  const found = async (url: string) => (asked++, url)
  const verifier = createJwtVerifier(
    { jwksUrl: async () => found(jwksUrl), audience: 'portolan', issuer: undefined },
    () => known.clock.now,
  )
  expect(asked).toBe(0)
  expect(await verifier.verify(await known.sign({}))).toMatchObject({ id: 'ada' })
  await verifier.verify(await known.sign({ jti: 'other' }))
  expect(asked).toBe(1)
  known.answer.status = 500
  const down = (where: JwtOptions['jwksUrl']) =>
    createJwtVerifier(
      { jwksUrl: where, audience: 'portolan', issuer: 'https://id.example' },
      () => known.clock.now,
    )
  const token = await known.sign({ iss: 'https://id.example' })
  expect(await outcome(async () => down(jwksUrl).verify(token))).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringContaining(`The keys at ${jwksUrl} cannot be read`),
    details: { hint: expect.stringContaining('Try again') },
  })
  expect(await outcome(async () => down(async () => jwksUrl).verify(token))).toMatchObject({
    message: expect.stringContaining('The keys at https://id.example cannot be read'),
  })
})

it('takes a failed search for the keys as an outage, and searches again with the next token', async () => {
  const { jwksUrl, sign, clock } = await aProvider()
  let isDown = true
  const search = async () => {
    if (isDown) throw new TypeError('fetch failed')
    return jwksUrl
  }
  const issuer = 'https://id.example'
  const verifier = createJwtVerifier(
    { jwksUrl: search, audience: 'portolan', issuer },
    () => clock.now,
  )
  const token = await sign({ iss: issuer })
  expect(await outcome(async () => verifier.verify(token))).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: 'The keys at https://id.example cannot be read: fetch failed',
  })
  isDown = false
  expect(await verifier.verify(token)).toMatchObject({ id: 'ada' })
})

it('waits once for a provider that is silent, and goes on with the keys it knows', async () => {
  const { verifier, sign, answer } = await aProvider()
  await verifier.verify(await sign({}))
  answer.isSilent = true
  const unknownKey = await generateKeyPair('ES256')
  const stranger = async () =>
    new SignJWT({ aud: 'portolan', sub: 'eve', exp: 1_900_000_000 })
      .setProtectedHeader({ alg: 'ES256', kid: 'k2' })
      .sign(unknownKey.privateKey)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  const first = await outcome(async () => verifier.verify(await stranger()))
  expect(first).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
  const asked = answer.asked
  expect(await outcome(async () => verifier.verify(await stranger()))).toMatchObject({
    message: expect.stringContaining('did not answer a moment ago'),
  })
  expect(answer.asked).toBe(asked)
  expect(await verifier.verify(await sign({ jti: 'other' }))).toMatchObject({ id: 'ada' })
})

it('says which claim is no name of an agent, and what one is made of', async () => {
  const { verifier, sign } = await aProvider({ agentClaim: 'agent' })
  for (const agent of ['a b', 7, undefined])
    expect(await outcome(async () => verifier.verify(await sign({ agent })))).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'The token\'s claim "agent" is not an agent id',
      details: { hint: expect.stringContaining('auth.jwt.agentClaim') },
    })
})
