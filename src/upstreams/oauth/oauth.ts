import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { GatewayError } from '../../gateway/errors.ts'
import type { Credentials } from '../http/http-wire.ts'
import { type Callback, openCallback } from './oauth-callback.ts'
import type { TokenStore } from './token-store.ts'

export interface OAuthOptions {
  readonly server: string
  readonly url: string
  readonly store: TokenStore
  /** Shows the user where to sign in. */
  readonly notify: (text: string) => void
}

/**
 * Signs in to a server that answers 401. The SDK runs the protocol; the token files, the
 * page that the browser returns to, and an error with the address to open are ours.
 */
export function createOAuth(options: OAuthOptions): Credentials {
  const { store } = options
  let given: string | undefined
  let pending: { address: string; done: Promise<unknown> } | undefined

  async function signIn(): Promise<void> {
    const { auth } = await import('@modelcontextprotocol/client')
    const callback = await openCallback()
    let address: string | undefined
    const provider = toProvider(store, callback, (url) => (address = url.href))
    const outcome = await auth(provider, { serverUrl: options.url }).catch((error: unknown) => {
      callback.close()
      throw error
    })
    if (outcome === 'AUTHORIZED') return callback.close()
    const done = callback
      .signedIn(async ({ code, iss }) => {
        const answer = { authorizationCode: code, ...(iss !== undefined && { iss }) }
        await auth(provider, { serverUrl: options.url, ...answer })
      })
      .finally(() => {
        pending = undefined
        callback.close()
      })
    done.catch(() => undefined)
    pending = { address: address ?? options.url, done }
    options.notify(`Server "${options.server}" asks you to sign in: ${pending.address}`)
  }

  return {
    async header() {
      const { tokens } = await store.read()
      given = tokens?.access_token
      return tokens && `Bearer ${tokens.access_token}`
    },
    async refused() {
      const refusedToken = given
      try {
        if (!pending)
          await store.exclusively(async () => {
            const { tokens } = await store.read()
            // Another caller has got a new token in the meantime.
            if (tokens === undefined || tokens.access_token === refusedToken) await signIn()
          })
      } catch (cause) {
        throw signInNeeded(options.server, undefined, cause)
      }
      if (pending) throw signInNeeded(options.server, pending.address)
    },
  }
}

function signInNeeded(server: string, address: string | undefined, cause?: unknown): GatewayError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new GatewayError(
    'SERVER_UNAVAILABLE',
    `Server unavailable: '${server}' wants a sign-in${reason}`,
    {
      reason: 'sign_in_needed',
      hint:
        address === undefined
          ? `Give it an Authorization header in .mcp.json, if it does not offer OAuth.`
          : `Ask the user to open ${address} and try again afterwards.`,
      inconclusive: true,
      cause,
    },
  )
}

function toProvider(
  store: TokenStore,
  { redirectUrl, state }: Callback,
  onRedirect: (url: URL) => void,
): OAuthClientProvider {
  return {
    redirectUrl,
    state: () => state,
    clientMetadata: {
      client_name: 'Portolan',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: async () => (await store.read()).client,
    saveClientInformation: async (client) => store.update({ client }),
    tokens: async () => (await store.read()).tokens,
    saveTokens: async (tokens) => store.update({ tokens }),
    redirectToAuthorization: (url) => onRedirect(url),
    saveCodeVerifier: async (verifier) => store.update({ verifier }),
    codeVerifier: async () => (await store.read()).verifier ?? '',
    discoveryState: async () => (await store.read()).discovery,
    saveDiscoveryState: async (discovery) => store.update({ discovery }),
    invalidateCredentials: async (scope) => {
      const all = scope === 'all'
      await store.update({
        ...((all || scope === 'tokens') && { tokens: undefined }),
        ...((all || scope === 'client') && { client: undefined }),
        ...((all || scope === 'discovery') && { discovery: undefined }),
      })
    },
  }
}
