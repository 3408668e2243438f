import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../../gateway/errors.ts'
import { EFFECTS } from '../../gateway/tools/effect.ts'
import type { Principal } from '../../gateway/agents/policy.ts'
import type { Storage } from '../../storage/storage.ts'
import type { KeyStore } from '../key-store.ts'
import { type AccessTokens, createAccessTokens } from './tokens/access-tokens.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import {
  type ProtectedResource,
  RESOURCE_METADATA,
  createProtectedResource,
} from './tokens/protected-resource.ts'
import type { SignInSettings } from './sign-in-mode.ts'
import type { Seal } from '../vault/seal.ts'
import { DASHBOARD_VISIT, SIGN_IN_PATHS, isSignInPath } from './sign-in-paths.ts'
import type { RoleGroups } from '../role.ts'
import type { Account, Accounts } from './accounts/accounts.ts'
import { type DashboardSessions, createDashboardSessions } from './sessions/dashboard-sessions.ts'
import type { SessionList } from './sessions/session-list.ts'
import { type SignInChanges, createSignInChanges } from './sign-in-changes.ts'

export interface SignInOptions {
  readonly settings: SignInSettings
  /** Whether we issue the tokens, or the team's provider does. */
  readonly mode: 'embedded' | 'provider'
  readonly keys: KeyStore
  readonly openStorage: () => Promise<Storage>
  readonly seal: Seal
  /** Which groups may run the dashboard and which may read it, as the settings are now. */
  readonly roles: () => RoleGroups
  /** The cookie by which the dashboard knows a session. */
  readonly sessionCookie: (session: string, request: IncomingMessage) => string
  /** What other replicas change; absent where there are none. */
  readonly changes: SignInChanges | undefined
  readonly serversOf: (who: Principal) => readonly { name: string; tools: number }[]
  /** Called with everybody who has signed in on our pages, or was refused there. */
  readonly onAttempt: (attempt: SignInAttempt) => void
}

/** Somebody who signs in, at the dashboard or for a client. */
export interface SignInAttempt {
  /** The name of the client, or `dashboard`. */
  readonly to: string
  /** Who has signed in, and how; absent where nobody did. */
  readonly account?: Pick<Account, 'agent' | 'source'>
  /** Why it was refused. */
  readonly problem?: string
}

/** Of an account whose key was revoked, or whose user was removed, a moment ago. */
export const GONE = 'The account is no longer good.'

/** How people and their clients come in over HTTP. */
export interface SignIn {
  /** Tokens of our own; undefined where the team's provider issues them. */
  readonly tokens: AccessTokens | undefined
  /** Who is signed in, to the dashboard and with clients; undefined where the team's provider issues tokens. */
  readonly people: SignedInPeople | undefined
  /** Where we listen: our address, as long as no public one is set. */
  listenAt(address: string): void
  /** The challenge for a request at a path whose credential is missing or not accepted. */
  readonly challenge: (path: string) => (error: GatewayError) => string
  /** Answers what is for it; false for everything else. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  close(): Promise<void>
}

/** Sessions, and where people begin one. */
export interface SignedInPeople {
  readonly dashboard: DashboardSessions
  sessions(): Promise<SessionList>
  accounts(): Promise<Accounts>
  /** Where people sign in to the dashboard. */
  address(): string
}

/** Paths of MCP beside the one of the settings. */
const OTHER_PATHS = ['/sse', '/ws']
const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

export function createSignIn(options: SignInOptions): SignIn {
  const { settings, mode, keys } = options
  const { listen, auth } = settings
  let address = listen.publicUrl ?? ''
  let known: ProtectedResource | undefined
  let opening: Promise<Site> | undefined
  let storage: Storage | undefined

  function resource(): ProtectedResource {
    known ??= createProtectedResource({
      origin: address,
      paths: [listen.path, ...OTHER_PATHS],
      ...(mode === 'provider' && auth.provider
        ? // A provider refuses scopes that it does not know, and ours are not known to it.
          { authorizationServers: [auth.provider.issuer], scopes: auth.provider.scopes }
        : { authorizationServers: [address] }),
    })
    return known
  }

  /** The library and the database are opened for the first who signs in, or comes with a token. */
  async function open(): Promise<Site> {
    opening ??= openSite().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function openSite(): Promise<Site> {
    storage = await options.openStorage()
    const { openSignInSite } = await import('./sign-in-site.ts')
    return openSignInSite({
      ...options,
      storage,
      resource: resource(),
      keys,
      changes,
      dashboard,
    })
  }

  const changes = createSignInChanges(options.changes)
  const dashboard = createDashboardSessions({
    async open() {
      const site = await open()
      return { storage: site.storage, accounts: site.server.accounts }
    },
    changes,
    roles: options.roles,
  })
  const embedded = mode === 'embedded' && {
    tokens: createAccessTokens({ open: async () => (await open()).server, resource, changes }),
    people: {
      dashboard,
      sessions: async () => (await open()).sessions,
      accounts: async () => (await open()).server.accounts,
      address: () => `${address}${SIGN_IN_PATHS.pages}/${DASHBOARD_VISIT}`,
    },
  }

  return {
    tokens: undefined,
    people: undefined,
    ...embedded,
    listenAt(actual) {
      if (address === '') address = actual
    },
    challenge: (path) => (error) => {
      if (error.code === 'INSUFFICIENT_SCOPE') {
        const needed = error.details.data?.['effects']
        const effects = EFFECTS.filter((one) => Array.isArray(needed) && needed.includes(one))
        return resource().challenge(path, { error: 'insufficient_scope', effects })
      }
      const isMissing = error.details.reason === 'no_credential'
      return resource().challenge(path, isMissing ? undefined : { error: 'invalid_token' })
    },
    async handle(request, response) {
      const [path = ''] = (request.url ?? '').split('?')
      if (path === RESOURCE_METADATA || path.startsWith(`${RESOURCE_METADATA}/`)) {
        const found = resource().metadata(path.slice(RESOURCE_METADATA.length))
        if (found) sendJson(response, found)
        return found !== undefined
      }
      const isOurs = METADATA.includes(path) || isSignInPath(path)
      if (mode !== 'embedded' || !isOurs) return false
      await (await open()).handle(request, response)
      return true
    },
    async close() {
      await opening?.catch(() => undefined)
      await storage?.close()
    },
  }
}

export interface Site {
  readonly server: AuthorizationServer
  readonly storage: Storage
  readonly sessions: SessionList
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Clients in web pages read it too. */
function sendJson(response: ServerResponse, body: object): void {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    .end(JSON.stringify(body))
}
