import { createServer } from 'node:http'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { messageOf } from '../../src/base/errors.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

interface Provider {
  readonly jwksUrl: string
  readonly token: string
}

let opened: Promise<Provider> | undefined

/** An identity provider, and a token of Ada, who works in the team `ops`. */
async function provider(): Promise<Provider> {
  opened ??= openProvider()
  return opened
}

async function openProvider(): Promise<Provider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const address = server.address()
  const token = await new SignJWT({ team: 'ops', role: 'admin' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setSubject('ada')
    .setIssuer('https://idp.example')
    .setAudience('portolan')
    .setExpirationTime('1h')
    .sign(privateKey)
  return { jwksUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, token }
}

/** Who Ada is to a gateway that accepts tokens; what is said where it does not accept hers. */
async function who(env: Record<string, string>): Promise<unknown> {
  const { token, jwksUrl } = await provider()
  const rest = { PORTOLAN_AUTH_JWT_JWKS_URL: jwksUrl, PORTOLAN_AUTH_JWT_AUDIENCE: 'portolan' }
  return identify({ ...rest, ...env }, token)
}

async function identify(env: Record<string, string>, credential: string): Promise<unknown> {
  try {
    const { app } = await openToy(env)
    const caller = { transport: 'http', credential, claimedAgent: undefined } as const
    const { id, role = 'agent', person } = await app.world.identify(caller)
    return [id, role, ...(person?.groups ?? [])].join(', ')
  } catch (error) {
    return /must be set|required|not accepted|expected string/i.exec(messageOf(error))?.[0] ?? error
  }
}

export const JWT: Effects = {
  'auth.jwt.jwksUrl': effect(
    async () => (await provider()).jwksUrl,
    beside({ PORTOLAN_AUTH_JWT_AUDIENCE: 'portolan' }, async (env) =>
      identify(env, (await provider()).token),
    ),
    ['required', 'ada, agent'],
  ),
  'auth.jwt.issuer': effect('https://other.example', who, ['ada, agent', 'not accepted']),
  'auth.jwt.audience': effect('another', who, ['ada, agent', 'not accepted']),
  'auth.jwt.agentClaim': effect('team', who, ['ada, agent', 'ops, agent']),
  'auth.jwt.roleClaim': effect('role', who, ['ada, agent', 'ada, admin']),
  'auth.jwt.groupsClaim': effect('team', who, ['ada, agent', 'ada, agent, ops']),
}
