import type { IncomingMessage, ServerResponse } from 'node:http'
import { Lazy } from '../../base/flow/lazy.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { EFFECTS, type Effect } from '../../gateway/tools/effect.ts'
import type { Principal } from '../../gateway/agents/policy.ts'
import type { Storage } from '../../storage/storage.ts'
import type { KeyStore } from '../key-store.ts'
import { type AccessTokens, createAccessTokens } from './server/access-tokens.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import {
  type ProtectedResource,
  RESOURCE_METADATA,
  createProtectedResource,
} from './tokens/protected-resource.ts'
import { createCheckedCredentials } from './tokens/checked-credentials.ts'
import type { SignInSettings } from './sign-in-mode.ts'
import type { Seal } from '../vault/seal.ts'
import { DASHBOARD_VISIT, INVITATION, SIGN_IN_PATHS, isSignInPath } from './sign-in-paths.ts'
import type { RoleGroups } from '../role.ts'
import type { Account, Accounts } from './accounts/accounts.ts'
import type { Users } from './accounts/users.ts'
import { type DashboardSessions, createDashboardSessions } from './sessions/dashboard-sessions.ts'
import type { SessionList } from './sessions/session-list.ts'
import { type SignInChanges, createSignInChanges } from './sign-in-changes.ts'

export interface AllowedServer {
  readonly name: string
  /** How many of its tools the rules allow, as far as they are known. */
  readonly tools: number
  /** What the allowed tools do; what they may do, where they are not known yet. */
  readonly effects: readonly Effect[]
}

export interface SignInOptions {
  readonly settings: SignInSettings
  /** Whether we issue the tokens, or the team's provider does. */
  readonly mode: 'embedded' | 'provider'
  readonly keys: KeyStore
  readonly openStorage: () => Promise<Storage>
  readonly seal: Seal
  /** Returns which groups may run or read the dashboard, by the current settings. */
  readonly roles: () => RoleGroups
  /** Returns the session cookie of the dashboard. */
  readonly sessionCookie: (session: string, request: IncomingMessage) => string
  /** Changes by other replicas; absent if there are none. */
  readonly changes: SignInChanges | undefined
  readonly serversOf: (who: Principal) => readonly AllowedServer[]
  /** Called for every successful or refused sign-in on our pages. */
  readonly onAttempt: (attempt: SignInAttempt) => void
}

/** An attempt to sign in, at the dashboard or for a client. */
export interface SignInAttempt {
  /** The name of the client, or `dashboard`. */
  readonly to: string
  /** Who has signed in, and how; absent if it failed. */
  readonly account?: Pick<Account, 'agent' | 'source'>
  /** Why it was refused. */
  readonly problem?: string
}

/** The problem of an account whose key was revoked or user removed during the sign-in. */
export const GONE = 'The account is no longer valid.'

/** Sign-in of people and their clients over HTTP. */
export interface SignIn {
  /** Our own tokens; undefined if the team's provider issues them. */
  readonly tokens: AccessTokens | undefined
  /** The sessions of people; undefined if the team's provider issues the tokens. */
  readonly people: SignedInPeople | undefined
  /** Sets our address to where we listen, unless a public one is configured. */
  listenAt(address: string): void
  /** Returns the challenge for a request whose credential is missing or not accepted. */
  readonly challenge: (path: string) => (error: GatewayError) => string
  /** Handles requests for sign-in; returns false for all others. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  close(): Promise<void>
}

/** Sessions, and the address where people begin one. */
interface SignedInPeople {
  readonly dashboard: DashboardSessions
  sessions(): Promise<SessionList>
  accounts(): Promise<Accounts>
  /** The people who sign in with a password stored here. */
  users(): Promise<Users>
  /** Throws if an account has ended; synchronous if it was checked recently. */
  readonly checkAccount: (id: string, session?: string) => unknown
  /** Where people sign in to the dashboard. */
  address(): string
  /** Where somebody who is invited chooses a password. */
  invitation(code: string): string
}

/** MCP paths besides the one of the settings. */
const OTHER_PATHS = ['/sse', '/ws']
const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

export function createSignIn(options: SignInOptions): SignIn {
  const { settings, mode, keys } = options
  const { listen, auth } = settings
  let address = listen.publicUrl ?? ''
  let known: ProtectedResource | undefined
  /** The library and the database, opened at the first sign-in or token. */
  const opening = new Lazy(openSite)
  const open = async () => opening.get()
  let storage: Storage | undefined

  function resource(): ProtectedResource {
    known ??= createProtectedResource({
      origin: address,
      paths: [listen.path, ...OTHER_PATHS],
      ...(mode === 'provider' && auth.provider
        ? // A provider refuses scopes that it does not know, such as ours.
          { authorizationServers: [auth.provider.issuer], scopes: auth.provider.scopes }
        : { authorizationServers: [address] }),
    })
    return known
  }

  async function openSite(): Promise<Site> {
    const { openSignInSite } = await import('./sign-in-site.ts')
    const opened = await options.openStorage()
    try {
      const parts = { storage: opened, resource: resource(), keys, changes, dashboard }
      const site = await openSignInSite({ ...options, ...parts })
      storage = opened
      return site
    } catch (error) {
      await opened.close()
      throw error
    }
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
  const checkedAccounts = createCheckedCredentials({
    name: 'The sign-in of this handle',
    changes,
    async look(signIn) {
      const [id = '', session = ''] = signIn.split(' ')
      const { accounts, provider } = (await open()).server
      if (session !== '' && !(await provider.Grant.find(session))) return undefined
      const account = await accounts.find(id)
      return account && { agent: { id: account.agent, proof: 'sign-in', expiresAt: Infinity } }
    },
  })
  const embedded = mode === 'embedded' && {
    tokens: createAccessTokens({ open: async () => (await open()).server, resource, changes }),
    people: {
      dashboard,
      sessions: async () => (await open()).sessions,
      accounts: async () => (await open()).server.accounts,
      users: async () => (await open()).server.users,
      checkAccount: (id: string, session = '') => checkedAccounts.check(`${id} ${session}`),
      address: () => `${address}${SIGN_IN_PATHS.pages}/${DASHBOARD_VISIT}`,
      invitation: (code: string) =>
        `${address}${SIGN_IN_PATHS.pages}/${DASHBOARD_VISIT}/${INVITATION}?code=${code}`,
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
      await opening.made()
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

/** Allows all origins, as clients in web pages read it too. */
function sendJson(response: ServerResponse, body: object): void {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    .end(JSON.stringify(body))
}
