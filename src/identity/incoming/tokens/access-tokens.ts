import type { Agent } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { toEffects } from './scopes.ts'

export interface AccessTokens {
  /** Who a token speaks for, at the path it is used at. At once where it was checked a moment ago. */
  verify(token: string, path: string | undefined): Agent | Promise<Agent>
}

export interface AccessTokensOptions {
  readonly open: () => Promise<AuthorizationServer>
  readonly resource: () => ProtectedResource
  readonly now?: () => number
}

interface Checked {
  readonly agent: Agent & { readonly expiresAt: number }
  readonly audience: string
  readonly grant: string | undefined
  checkedAt: number
}

const CACHED = 4_096
/** How long a token that another replica has revoked may still be good here. */
const RECHECK_MS = 5_000
/** For how long a token is believed while the database does not answer. */
const GRACE_MS = 60_000

/** Checks access tokens of our own authorization server: in its database first, then in memory. */
export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { open, resource, now = Date.now } = options
  const checked = new Map<string, Checked>()
  let follows = false

  /** What is revoked here is forgotten at once. */
  function follow({ provider }: AuthorizationServer): void {
    if (follows) return
    follows = true
    provider.on('access_token.destroyed', ({ jti }) => checked.delete(jti))
    provider.on('grant.revoked', (_, grantId) => {
      for (const [token, { grant }] of checked) if (grant === grantId) checked.delete(token)
    })
  }

  async function look(token: string): Promise<Checked | undefined> {
    const server = await open()
    follow(server)
    const found = await server.provider.AccessToken.find(token)
    if (!found?.accountId || found.aud === undefined) return undefined
    const account = await server.accounts.find(found.accountId)
    if (account === undefined) return undefined
    const client = await server.provider.Client.find(found.clientId ?? '').catch(() => undefined)
    const { agent: id, key, person } = account
    return {
      agent: {
        id,
        proof: 'sign-in',
        expiresAt: (found.exp ?? 0) * 1_000,
        effects: toEffects(found.scope),
        client: client?.clientName ?? found.clientId ?? 'unknown',
        ...(key !== undefined && { key }),
        ...(person && { person }),
      },
      audience: String(found.aud),
      grant: found.grantId,
      checkedAt: now(),
    }
  }

  async function check(token: string): Promise<Checked> {
    const known = checked.get(token)
    try {
      const found = await look(token)
      if (found === undefined)
        throw notGood('The access token is not known, has expired or was revoked')
      // The same person as before is the same object: rules compile their groups once.
      const kept = known && JSON.stringify(known.agent) === JSON.stringify(found.agent)
      const entry = kept ? Object.assign(known, { checkedAt: found.checkedAt }) : found
      if (checked.size >= CACHED) checked.clear()
      checked.set(token, entry)
      return entry
    } catch (error) {
      const isOutage = !(error instanceof GatewayError)
      if (isOutage && known && now() - known.checkedAt < GRACE_MS) return known
      checked.delete(token)
      if (isOutage)
        throw new GatewayError('SERVER_UNAVAILABLE', 'The access token cannot be checked now', {
          hint: 'Try again once the database answers; the log says why it does not.',
          cause: error,
        })
      throw error
    }
  }

  function admit({ agent, audience }: Checked, path: string | undefined): Agent {
    if (agent.expiresAt <= now()) throw notGood('The access token has expired')
    if (!resource().accepts(audience, path ?? ''))
      throw notGood(`The access token was issued for ${audience}, and for nothing else`)
    return agent
  }

  return {
    verify(token, path): Agent | Promise<Agent> {
      const known = checked.get(token)
      if (known !== undefined && now() - known.checkedAt < RECHECK_MS) return admit(known, path)
      return check(token).then((entry) => admit(entry, path))
    },
  }
}

function notGood(message: string): GatewayError {
  return new GatewayError('UNAUTHENTICATED', message, { hint: 'Sign in again.' })
}
