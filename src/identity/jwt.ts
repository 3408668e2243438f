import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { messageOf } from '../base/errors.ts'
import { Dependency } from '../base/flow/dependency.ts'
import type { Agent } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { isUserName } from '../gateway/agents/agent-id.ts'
import type { Claims } from '../gateway/agents/claims.ts'
import type { Account } from './incoming/accounts/accounts.ts'
import { toPerson } from './incoming/accounts/to-person.ts'
import { toRole } from './role.ts'

export interface JwtOptions {
  /** The URL of the public keys, or a function that finds it. */
  readonly jwksUrl: string | ((fetchInTime: typeof fetch) => Promise<string>)
  readonly audience: string | readonly string[]
  readonly issuer?: string | undefined
  readonly agentClaim?: string | undefined
  /** The claim that holds a role; without it, every token has the role `agent`. */
  readonly roleClaim?: string | undefined
  readonly groupsClaim?: string | undefined
  /** Returns the account of a token, if one claim is not enough for that. */
  readonly toAccount?: ((claims: Claims) => Pick<Account, 'agent' | 'person'>) | undefined
}

export interface JwtVerifier {
  /** Synchronous for a token seen before; otherwise checks the signature. */
  verify(token: string): Agent | Promise<Agent>
}

const CACHED = 1024
/** How long an unknown token waits for the keys of its provider. */
const ANSWER_MS = 5_000
/** For how long a provider that did not answer is not asked again. */
const REST_MS = 10_000

/** Verifies the tokens of an identity provider; loads `jose` for the first one. */
export function createJwtVerifier(options: JwtOptions, now: () => number = Date.now): JwtVerifier {
  const verified = new Map<string, Agent & { readonly expiresAt: number }>()
  const fetchInTime = fetchFrom(new Dependency({ failures: 1, openMs: REST_MS }))
  let keys: JWTVerifyGetKey | undefined

  async function remoteKeys(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const { jwksUrl } = options
    const url = typeof jwksUrl === 'string' ? jwksUrl : await jwksUrl(fetchInTime)
    return createRemoteJWKSet(new URL(url), { [customFetch]: fetchInTime })
  }

  async function payloadOf(token: string): Promise<JWTPayload> {
    const { jwtVerify } = await import('jose')
    const { audience, issuer } = options
    keys ??= await remoteKeys()
    const { payload } = await jwtVerify(token, keys, {
      audience: typeof audience === 'string' ? audience : [...audience],
      ...(issuer !== undefined && { issuer }),
      currentDate: new Date(now()),
      requiredClaims: ['exp'],
    })
    return payload
  }

  async function check(token: string): Promise<Agent> {
    const { errors } = await import('jose')
    const payload = await payloadOf(token).catch((cause: unknown) => {
      throw refusal(cause, cause instanceof errors.JOSEError && !isOutage(cause.code), options)
    })
    const expiresAt = (payload.exp ?? 0) * 1000
    const agent = { ...toAgent(payload, options), expiresAt }
    if (verified.size >= CACHED) verified.clear()
    verified.set(token, agent)
    return agent
  }

  return {
    verify(token): Agent | Promise<Agent> {
      const known = verified.get(token)
      if (known !== undefined && known.expiresAt > now()) return known
      return check(token)
    },
  }
}

/**
 * Keys that are known already are used while the provider is silent. A refused connection takes no
 * time, so only silence is remembered.
 */
function fetchFrom(provider: Dependency): typeof fetch {
  return async (input, init) => {
    const answer = await provider.ask(
      async (late) =>
        fetch(input, { ...init, signal: late }).catch((error: unknown) => ({ error })),
      ANSWER_MS,
    )
    if (answer.kind === 'skipped') throw new Error('the provider did not answer a moment ago')
    if (answer.kind !== 'answer') throw answer.error
    // Not asked with `instanceof Response`: Hono's server replaces the global class with its own.
    if ('error' in answer.value) throw answer.value.error
    return answer.value
  }
}

function toAgent(payload: JWTPayload, options: JwtOptions): Agent {
  const { agentClaim = 'sub', roleClaim, groupsClaim } = options
  const account = options.toAccount?.(payload)
  const id = account?.agent ?? payload[agentClaim]
  if (typeof id !== 'string' || !isUserName(id)) {
    throw new GatewayError(
      'UNAUTHENTICATED',
      `The token's claim "${agentClaim}" is not an agent id`,
      {
        hint: 'Agent ids are made of letters, digits, "_", ".", "-", "@" and "+"; see auth.jwt.agentClaim.',
      },
    )
  }
  const role = roleClaim === undefined ? 'agent' : toRole(payload[roleClaim])
  return {
    id,
    proof: 'jwt',
    ...(role !== 'agent' && { role }),
    ...clientIn(payload),
    person: account?.person ?? toPerson(id, payload, groupsClaim),
  }
}

function clientIn(payload: JWTPayload): Pick<Agent, 'client'> {
  const client = payload['azp'] ?? payload['client_id']
  return typeof client === 'string' ? { client } : {}
}

function isOutage(code: string): boolean {
  return code === 'ERR_JWKS_TIMEOUT' || code === 'ERR_JOSE_GENERIC' || code === 'ERR_JWKS_INVALID'
}

function refusal(cause: unknown, isRejection: boolean, options: JwtOptions): GatewayError {
  const { jwksUrl, issuer } = options
  const place = typeof jwksUrl === 'string' ? jwksUrl : issuer
  const said = messageOf(cause)
  return isRejection
    ? new GatewayError('UNAUTHENTICATED', `The token was not accepted: ${said}`, { cause })
    : new GatewayError('SERVER_UNAVAILABLE', `The keys at ${place} cannot be read: ${said}`, {
        hint: 'Try again once the identity provider can be reached.',
        cause,
      })
}
