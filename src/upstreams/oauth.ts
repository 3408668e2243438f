import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { GatewayError } from '../gateway/errors.ts'
import type { Credentials } from './http-link.ts'
import { openCallback } from './oauth-callback.ts'
import { type TokenStore, createTokenStore } from './token-store.ts'

export interface OAuthOptions {
  readonly server: string
  readonly url: string
  /** Where tokens are kept, one file a server, for its owner's eyes only. */
  readonly folder: string
  /** Tells the user where to sign in. */
  readonly tell: (text: string) => void
}

/**
 * Signs in to a server that answers 401. The protocol is the SDK's; ours are the files, the page
 * the browser comes back to, and an error that tells the agent's user where to go.
 */
export function createOAuth(options: OAuthOptions): Credentials {
  const store = createTokenStore(options.folder, options.url)
  let pending: { address: string; done: Promise<unknown> } | undefined

  async function signIn(): Promise<void> {
    const { auth } = await import('@modelcontextprotocol/client')
    const callback = await openCallback()
    let address: string | undefined
    const provider = toProvider(store, callback.redirectUrl, (url) => (address = url.href))
    const outcome = await auth(provider, { serverUrl: options.url })
    if (outcome === 'AUTHORIZED') return callback.close()
    const done = callback.code
      .then(async (authorizationCode) =>
        auth(provider, { serverUrl: options.url, authorizationCode }),
      )
      .finally(() => {
        pending = undefined
        callback.close()
      })
    done.catch(() => undefined)
    pending = { address: address ?? options.url, done }
    options.tell(`Server "${options.server}" asks you to sign in: ${pending.address}`)
  }

  return {
    async header() {
      const { tokens } = store.read()
      return tokens && `Bearer ${tokens.access_token}`
    },
    async refused() {
      try {
        if (!pending) await signIn()
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
      cause,
    },
  )
}

function toProvider(
  store: TokenStore,
  redirectUrl: string,
  onRedirect: (url: URL) => void,
): OAuthClientProvider {
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Portolan',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => store.read().client,
    saveClientInformation: (client) => store.update({ client }),
    tokens: () => store.read().tokens,
    saveTokens: (tokens) => store.update({ tokens }),
    redirectToAuthorization: (url) => onRedirect(url),
    saveCodeVerifier: (verifier) => store.update({ verifier }),
    codeVerifier: () => store.read().verifier ?? '',
    discoveryState: () => store.read().discovery,
    saveDiscoveryState: (discovery) => store.update({ discovery }),
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'tokens') store.update({ tokens: undefined })
      if (scope === 'all' || scope === 'client') store.update({ client: undefined })
      if (scope === 'all' || scope === 'discovery') store.update({ discovery: undefined })
    },
  }
}
