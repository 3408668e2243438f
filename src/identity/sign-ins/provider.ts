import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { VaultRecord } from '../vault/vault.ts'
import type { SignInServer } from './server.ts'
import type { StoredClient } from './stored.ts'

/** The parts of one sign-in that the protocol reads and writes while it runs. */
export interface ProviderParts {
  readonly server: SignInServer
  readonly client: VaultRecord<StoredClient>
  /** Where the browser returns to. */
  readonly redirectUrl: string
  /** The URL of our client metadata document, if it is published. */
  readonly clientMetadataUrl: string | undefined
  readonly tokens: () => StoredOAuthTokens | undefined | Promise<StoredOAuthTokens | undefined>
  readonly saveTokens: (tokens: StoredOAuthTokens) => Promise<void>
  readonly forgetTokens: () => Promise<void>
  /** The state of one attempt; `verifier` and `discovery` are kept until the browser returns. */
  readonly attempt: Attempt
}

export interface Attempt {
  readonly state?: string | undefined
  verifier?: string | undefined
  discovery?: OAuthDiscoveryState | undefined
  address?: URL | undefined
}

/** Returns what we tell authorization servers about ourselves. */
export function clientMetadata(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Portolan',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** Adapts the sign-in of a person for the SDK, which runs the protocol. */
export function toProvider(parts: ProviderParts): OAuthClientProvider {
  const { server, redirectUrl, attempt } = parts
  const { clientId, scope } = server.oauth
  const { state } = attempt
  return {
    redirectUrl,
    clientMetadata: { ...clientMetadata(redirectUrl), ...(scope !== undefined && { scope }) },
    ...(parts.clientMetadataUrl !== undefined && { clientMetadataUrl: parts.clientMetadataUrl }),
    ...(state !== undefined && { state: () => state }),
    ...(clientId === undefined ? registered(parts) : configured(parts, clientId)),
    tokens: async () => parts.tokens(),
    async saveTokens(tokens) {
      // From now on, send the configured credentials only to the server that accepted them.
      if (clientId !== undefined && tokens.issuer)
        await parts.client.update({ issuer: tokens.issuer })
      await parts.saveTokens(tokens)
    },
    redirectToAuthorization: (url) => void (attempt.address = url),
    saveCodeVerifier: (verifier) => void (attempt.verifier = verifier),
    codeVerifier: () => attempt.verifier ?? '',
    discoveryState: () => attempt.discovery,
    saveDiscoveryState: (discovery) => void (attempt.discovery = discovery),
    async invalidateCredentials(what) {
      if (what === 'all' || what === 'tokens') await parts.forgetTokens()
      if (what === 'all' || what === 'client') await parts.client.remove()
    },
  }
}

/** A client that registers itself, or names its metadata document; once for all people. */
function registered({ client, redirectUrl }: ProviderParts) {
  return {
    async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
      const stored = await client.read()
      // Authorization servers compare addresses exactly, so another address needs another client.
      return stored.redirectUrl === redirectUrl ? stored.client : undefined
    },
    saveClientInformation: async (information: StoredOAuthClientInformation) =>
      client.update({ client: information, redirectUrl }),
  }
}

/** A client that was registered by hand. It cannot be saved; for another issuer, the SDK stops. */
function configured({ client, server }: ProviderParts, clientId: string) {
  const { clientSecret, issuer } = server.oauth
  return {
    async clientInformation(): Promise<StoredOAuthClientInformation> {
      const known = issuer ?? (await client.read()).issuer
      return {
        client_id: clientId,
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(known !== undefined && { issuer: known }),
      }
    },
  }
}

/** Signs in the gateway itself, without a person. */
export async function toMachineProvider({
  name,
  oauth,
}: SignInServer): Promise<OAuthClientProvider> {
  const sdk = await import('@modelcontextprotocol/client')
  const { clientId = '', clientSecret = '', privateKey, algorithm = 'ES256', scope, issuer } = oauth
  const common = {
    clientId,
    clientName: `Portolan (${name})`,
    ...(scope !== undefined && { scope }),
    ...(issuer !== undefined && { expectedIssuer: issuer }),
  }
  return privateKey === undefined
    ? new sdk.ClientCredentialsProvider({ ...common, clientSecret })
    : new sdk.PrivateKeyJwtProvider({ ...common, privateKey, algorithm })
}
