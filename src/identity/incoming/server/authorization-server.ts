import type { Configuration, Provider } from 'oidc-provider'
import type { KeyStore } from '../../key-store.ts'
import type { Seal } from '../../vault/seal.ts'
import type { Storage } from '../../../storage/storage.ts'
import { type Accounts, createAccounts } from '../accounts/accounts.ts'
import type { ProtectedResource } from '../tokens/protected-resource.ts'
import { checkClient } from './check-client.ts'
import { createRecordAdapter } from './record-adapter.ts'
import { SCOPES } from '../tokens/scopes.ts'
import type { OwnChanges } from '../sign-in-changes.ts'
import { SIGN_IN_PATHS } from '../sign-in-paths.ts'
import { ACCESS_TOKEN_PREFIX, CODE_PREFIX, REFRESH_TOKEN_PREFIX } from '../tokens/token-prefixes.ts'
import { type Users, createUsers } from '../accounts/users.ts'
import { type ServerSecrets, loadServerSecrets } from './server-secrets.ts'

export interface AuthorizationServerOptions {
  readonly resource: ProtectedResource
  /** The resource for clients that name none. */
  readonly defaultResource: string
  readonly storage: Storage
  readonly keys: KeyStore
  readonly seal: Seal
  readonly changes: Pick<OwnChanges, 'announce'>
  readonly registration: boolean
  readonly accessTokenMs: number
  readonly refreshTokenMs: number
  /** Fetches client metadata documents; refuses private addresses. */
  readonly fetch: typeof fetch
  readonly renderError: (title: string, detail: string) => string
}

export interface AuthorizationServer {
  readonly provider: Provider
  readonly accounts: Accounts
  readonly users: Users
  readonly secrets: ServerSecrets
}

/** The draft that the library implements, and whose name it requires. */
const METADATA_DOCUMENT_DRAFT = 'draft-02'

const MINUTE_S = 60
const DAY_S = 86_400

/** Opens the authorization server of our own endpoint: a certified library on our database. */
export async function openAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const { storage, resource, keys } = options
  const library = await loadLibrary()
  const { errors, Provider: OidcProvider } = library
  const users = createUsers(storage, options.changes.announce)
  const accounts = createAccounts(storage, { keys, users })
  const secrets = await loadServerSecrets(storage, options.seal)
  const adapter = createRecordAdapter(storage, {
    alreadyUsed: () => new errors.InvalidGrant('it was already used'),
    onRevoked: async () => options.changes.announce(storage),
  })
  const provider = new OidcProvider(resource.origin, {
    ...fixedConfiguration(options),
    adapter,
    jwks: { keys: [secrets.signingKey] },
    cookies: { keys: [secrets.cookieKey] },
    interactions: {
      url: (_, { uid }) => `${SIGN_IN_PATHS.pages}/${uid}`,
      policy: consentEachTime(library),
    },
    async findAccount(ctx, id) {
      const account = await accounts.find(id)
      const { session } = ctx.oidc
      // The browser of an account that has ended is one in which nobody has signed in.
      if (!account && session?.accountId === id) {
        delete session.accountId
        delete session.authorizations
      }
      return account && { accountId: id, claims: () => ({ sub: id }) }
    },
    features: features(options, errors),
    extraClientMetadata: {
      // For clients that register themselves and for documents alike, before the library checks.
      properties: ['redirect_uris'],
      validator(_, __, ___, metadata) {
        const problem = checkClient(metadata)
        if (problem !== undefined) throw new errors.InvalidClientMetadata(problem)
      },
    },
  })
  // We set the forwarded headers of every request to our public address before the library sees it.
  provider.proxy = true
  prefixTokens(provider.AccessToken, ACCESS_TOKEN_PREFIX)
  prefixTokens(provider.RefreshToken, REFRESH_TOKEN_PREFIX)
  prefixTokens(provider.AuthorizationCode, CODE_PREFIX)
  return { provider, accounts, users, secrets }
}

type Library = typeof import('oidc-provider')

/** Silences its console warning about Node before 22, as stdio transport reserves the console. */
async function loadLibrary(): Promise<Library> {
  const { warn } = console
  console.warn = () => {}
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}

function fixedConfiguration({
  accessTokenMs,
  refreshTokenMs,
  ...options
}: AuthorizationServerOptions): Configuration {
  return {
    routes: {
      authorization: SIGN_IN_PATHS.authorization,
      token: SIGN_IN_PATHS.token,
      registration: SIGN_IN_PATHS.registration,
      revocation: SIGN_IN_PATHS.revocation,
      jwks: SIGN_IN_PATHS.jwks,
    },
    // The last three grant nothing; they are accepted because clients ask for them out of habit.
    scopes: [...SCOPES, 'offline_access', 'openid', 'profile', 'email'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: {
      // Most MCP clients are native but do not say so: they listen on any free port (RFC 8252, 7.3)
      // or have their own scheme, which the library allows for native clients only.
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    // Every use issues a new refresh token; using an old one later than `REUSE_MS` ends the grant.
    rotateRefreshToken: true,
    // A client stays signed in when the browser of the sign-in is closed.
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: Math.ceil(accessTokenMs / 1_000),
      RefreshToken: Math.ceil(refreshTokenMs / 1_000),
      AuthorizationCode: MINUTE_S,
      Interaction: 15 * MINUTE_S,
      Session: DAY_S,
      Grant: Math.max(Math.ceil(refreshTokenMs / 1_000), DAY_S),
      IdToken: 60 * MINUTE_S,
    },
    fetch: options.fetch,
    renderError(ctx, out) {
      ctx.type = 'html'
      ctx.body = options.renderError(out.error, out.error_description ?? '')
    },
  }
}

function features(
  { resource, defaultResource, registration }: AuthorizationServerOptions,
  errors: Library['errors'],
): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // We do not check the binding of a token.
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_, client, token) => token.clientId === client.clientId,
    },
    registration: {
      enabled: registration,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
    },
    clientIdMetadataDocument: { enabled: true, ack: METADATA_DOCUMENT_DRAFT },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => defaultResource,
      useGrantedResource: () => true,
      getResourceServerInfo(_, indicator) {
        if (!resource.owns(indicator)) throw new errors.InvalidTarget()
        return { scope: SCOPES.join(' '), audience: indicator, accessTokenFormat: 'opaque' }
      },
    },
  }
}

/**
 * Requires consent each time for a client on the person's machine, because any program there can
 * listen at its address or claim its scheme, and so reuse an earlier consent.
 */
function consentEachTime({ interactionPolicy }: Library) {
  const policy = interactionPolicy.base()
  const { Check } = interactionPolicy
  // Our check looks at where the client redirects to, not at its declared type.
  policy.get('consent')?.checks.remove('native_client_prompt')
  policy.get('consent')?.checks.add(
    new Check(
      'local_client',
      'a client on the person’s own machine needs consent each time',
      'interaction_required',
      ({ oidc }) => {
        const asked = oidc.params?.['redirect_uri']
        const isLocal = typeof asked === 'string' && !asked.startsWith('https://')
        return isLocal && !(oidc.result && 'consent' in oidc.result)
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT
      },
    ),
  )
  return policy
}

interface TokenClass {
  readonly prototype: object
}

/** Overrides the library's method for token ids, which its types leave out. */
function prefixTokens({ prototype }: TokenClass, prefix: string): void {
  const make: unknown = Reflect.get(prototype, 'generateTokenId')
  if (typeof make !== 'function') throw new Error('oidc-provider makes its tokens in another way')
  Reflect.set(prototype, 'generateTokenId', function generate(this: object): string {
    return `${prefix}${String(Reflect.apply(make, this, []))}`
  })
}
