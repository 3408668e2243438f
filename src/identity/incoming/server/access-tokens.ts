import { after } from '../../../base/flow/soon.ts'
import type { Agent } from '../../../gateway/call.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SignInChanges } from '../sign-in-changes.ts'
import {
  type CheckedCredential,
  createCheckedCredentials,
  notGood,
} from '../tokens/checked-credentials.ts'
import type { ProtectedResource } from '../tokens/protected-resource.ts'
import { toEffects } from '../tokens/scopes.ts'

export interface AccessTokens {
  /** Returns the agent of a token used at a path; synchronously if it was checked recently. */
  verify(token: string, path: string | undefined): Agent | Promise<Agent>
}

export interface AccessTokensOptions {
  readonly open: () => Promise<AuthorizationServer>
  readonly resource: () => ProtectedResource
  readonly changes: SignInChanges
}

interface CheckedToken extends CheckedCredential {
  readonly audience: string
}

/** Checks access tokens of our own authorization server. */
export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { open, resource, changes } = options
  const tokens = createCheckedCredentials({ look, name: 'The access token', changes })

  async function look(token: string): Promise<CheckedToken | undefined> {
    const server = await open()
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
        accountId: found.accountId,
        session: found.grantId,
        client: client?.clientName ?? found.clientId ?? 'unknown',
        clientId: found.clientId,
        ...(key !== undefined && { key }),
        ...(person && { person }),
      },
      audience: String(found.aud),
    }
  }

  function admit({ agent, audience }: CheckedToken, path: string | undefined): Agent {
    if (!resource().accepts(audience, path ?? ''))
      throw notGood(`The access token was issued for ${audience} and is not valid here`)
    return agent
  }

  return {
    verify(token, path): Agent | Promise<Agent> {
      return after(tokens.check(token), (entry) => admit(entry, path))
    },
  }
}
