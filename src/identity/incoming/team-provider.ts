import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { cookieOf } from '../../base/net/cookies.ts'
import { isLoopback } from '../../base/net/net.ts'
import { isSame } from '../../base/secrets/is-same.ts'
import type { Accounts } from './accounts/accounts.ts'
import { SIGN_IN_PATHS } from './sign-in-paths.ts'
import { toAccount } from './accounts/to-account.ts'

export interface TeamProviderOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly scopes: readonly string[]
  readonly userClaim?: string | undefined
  readonly groupsClaim: string
  /** Our public address. */
  readonly origin: string
  /** Signs the cookie that the browser keeps while the person is at the provider. */
  readonly key: string
  readonly accounts: Accounts
}

/** Signs people in at the OpenID provider of their team. */
export interface TeamProvider {
  /** Its name for people. */
  readonly name: string
  /** Sends the browser to the provider. */
  begin(response: ServerResponse, uid: string): Promise<void>
  /** Handles the provider's answer, and redirects to the visit that began it. */
  callback(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Returns the account that has signed in, in this browser and for this visit. */
  redeem(request: IncomingMessage, uid: string): string
}

const tripSchema = z.object({
  uid: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
})

const arrivedSchema = z.object({ uid: z.string(), accountId: z.string(), endsAt: z.number() })

const COOKIE = 'portolan_provider'
const MAX_SIGN_IN_S = 600
/** The longest time from the provider's answer to the browser's next request. */
const ARRIVED_S = 60

export function createTeamProvider(options: TeamProviderOptions): TeamProvider {
  const { issuer, clientId, clientSecret, scopes, origin, key, accounts } = options
  const redirectUri = `${origin}${SIGN_IN_PATHS.providerCallback}`
  let discovered: Promise<Configuration> | undefined

  /** Discovers the provider once; tries again after a failure. */
  async function configuration() {
    const library = await import('openid-client')
    const insecure = isLoopback(new URL(issuer).hostname) ? [library.allowInsecureRequests] : []
    discovered ??= library
      .discovery(new URL(issuer), clientId, clientSecret, undefined, { execute: insecure })
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      })
    return { library, config: await discovered }
  }

  /** Returns the cookie that ties the provider's answer to this browser. */
  function cookie(value: string, ageS: number): string {
    const secure = origin.startsWith('https:') ? '; Secure' : ''
    return `${COOKIE}=${value}; Path=/oauth; HttpOnly; SameSite=Lax; Max-Age=${ageS}${secure}`
  }

  return {
    name: new URL(issuer).host,
    async begin(response, uid) {
      const { library, config } = await configuration()
      const trip = {
        uid,
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      }
      const address = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: trip.state,
        nonce: trip.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
      })
      response.setHeader('set-cookie', cookie(seal(trip, key), MAX_SIGN_IN_S))
      response.writeHead(303, { location: address.href, 'cache-control': 'no-store' }).end()
    },
    async callback(request, response) {
      const trip = tripSchema.parse(unseal(cookieOf(request, COOKIE) ?? '', key))
      const { library, config } = await configuration()
      const tokens = await library.authorizationCodeGrant(
        config,
        new URL(request.url ?? '', origin),
        {
          expectedState: trip.state,
          expectedNonce: trip.nonce,
          pkceCodeVerifier: trip.verifier,
          idTokenExpected: true,
        },
      )
      const accountId = await accounts.save(toAccount({ ...tokens.claims() }, options))
      const arrived: z.input<typeof arrivedSchema> = {
        uid: trip.uid,
        accountId,
        endsAt: Date.now() + ARRIVED_S * 1_000,
      }
      response.setHeader('set-cookie', cookie(seal(arrived, key), ARRIVED_S))
      const location = `${SIGN_IN_PATHS.pages}/${trip.uid}/finish`
      response.writeHead(303, { location, 'cache-control': 'no-store' }).end()
    },
    redeem(request, uid) {
      const arrived = arrivedSchema.parse(unseal(cookieOf(request, COOKIE) ?? '', key))
      if (arrived.uid !== uid || arrived.endsAt < Date.now()) throw new Error('It is for another')
      return arrived.accountId
    },
  }
}

function seal(content: object, key: string): string {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${payload}.${sign(payload, key)}`
}

function unseal(sealed: string, key: string): unknown {
  const [payload = '', signature = ''] = sealed.split('.')
  if (!isSame(Buffer.from(signature), Buffer.from(sign(payload, key))))
    throw new Error('This browser did not start the sign-in, or its cookies were deleted')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}

function sign(payload: string, key: string): string {
  return createHmac('sha256', key).update(`provider ${payload}`).digest('base64url')
}
