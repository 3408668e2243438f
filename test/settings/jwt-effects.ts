import { messageOf } from '../../src/base/errors.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'
import { tokenProvider } from './token-provider.ts'

/** A token of Ada, who works in the team `ops`. */
async function adasToken(): Promise<string> {
  return (await tokenProvider()).sign('ada', { team: 'ops', role: 'admin' })
}

/** Who Ada is to a gateway that accepts tokens; what is said where it does not accept hers. */
async function who(env: Record<string, string>): Promise<unknown> {
  const { jwksUrl } = await tokenProvider()
  const rest = { PORTOLAN_AUTH_JWT_JWKS_URL: jwksUrl, PORTOLAN_AUTH_JWT_AUDIENCE: 'portolan' }
  return identify({ ...rest, ...env }, await adasToken())
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
    async () => (await tokenProvider()).jwksUrl,
    beside({ PORTOLAN_AUTH_JWT_AUDIENCE: 'portolan' }, async (env) =>
      identify(env, await adasToken()),
    ),
    ['required', 'ada, agent'],
  ),
  'auth.jwt.issuer': effect('https://other.example', who, ['ada, agent', 'not accepted']),
  'auth.jwt.audience': effect('another', who, ['ada, agent', 'not accepted']),
  'auth.jwt.agentClaim': effect('team', who, ['ada, agent', 'ops, agent']),
  'auth.jwt.roleClaim': effect('role', who, ['ada, agent', 'ada, admin']),
  'auth.jwt.groupsClaim': effect('team', who, ['ada, agent', 'ada, agent, ops']),
}
