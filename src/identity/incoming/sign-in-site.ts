import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Storage } from '../../storage/storage.ts'
import { openAuthorizationServer } from './server/authorization-server.ts'
import { createProofs } from './accounts/proofs.ts'
import { createDashboardVisits } from './pages/dashboard-visits.ts'
import { createRegistrationLimit } from './server/registration-limit.ts'
import { createFetchPublic } from './server/fetch-public.ts'
import { pageHeaders } from './pages/html.ts'
import { problemPage } from './pages/pages.ts'
import type { DashboardSessions } from './sessions/dashboard-sessions.ts'
import type { OwnChanges } from './sign-in-changes.ts'
import type { ProtectedResource } from './tokens/protected-resource.ts'
import { withOurScopes } from './tokens/scopes.ts'
import { createSessionList } from './sessions/session-list.ts'
import { DASHBOARD_VISIT, SIGN_IN_PATHS } from './sign-in-paths.ts'
import type { Site, SignInOptions } from './sign-in.ts'
import { createTeamProvider } from './team-provider.ts'
import { createVisits } from './pages/visits.ts'

export interface SiteParts extends Omit<SignInOptions, 'openStorage' | 'changes'> {
  readonly storage: Storage
  readonly changes: OwnChanges
  readonly dashboard: DashboardSessions
  readonly resource: ProtectedResource
}

/** Serves everything below `/oauth`, and the metadata that refers to it. */
export async function openSignInSite(parts: SiteParts): Promise<Site> {
  const { settings, keys, seal, storage, resource, changes, serversOf, onAttempt } = parts
  const { origin } = resource
  const { listen, auth } = settings
  const server = await openAuthorizationServer({
    ...auth.server,
    resource,
    defaultResource: `${origin}${listen.path}`,
    storage,
    keys,
    seal,
    changes,
    fetch: createFetchPublic(auth.server),
    renderError: problemPage,
  })
  const { clientId } = auth.provider ?? {}
  const provider =
    auth.provider && clientId !== undefined
      ? createTeamProvider({
          ...auth.provider,
          clientId,
          origin,
          key: server.secrets.formKey,
          accounts: server.accounts,
        })
      : undefined
  const proofs = createProofs({ keys, users: server.users })
  const visits = createVisits({ server, origin, proofs, provider, serversOf, onAttempt })
  const dashboardVisits = createDashboardVisits({
    server,
    origin,
    proofs,
    provider,
    sessions: parts.dashboard,
    cookie: parts.sessionCookie,
    onAttempt,
  })
  const answer = server.provider.callback()
  const registrations = createRegistrationLimit()
  return {
    server,
    storage,
    sessions: createSessionList(storage, { accounts: server.accounts, changes }),
    async handle(request, response) {
      atPublicAddress(request, origin)
      const [path = ''] = (request.url ?? '').split('?')
      const [visit, step = ''] = path.slice(SIGN_IN_PATHS.pages.length + 1).split('/')
      if (path.startsWith(`${SIGN_IN_PATHS.pages}/`))
        return visit === DASHBOARD_VISIT
          ? dashboardVisits.handle(request, response, step)
          : visits.handle(request, response)
      if (path === SIGN_IN_PATHS.providerCallback && provider)
        return comeBack(async () => provider.callback(request, response), response)
      const isRegistration = path === SIGN_IN_PATHS.registration && request.method === 'POST'
      if (isRegistration && registrations.refuses(request, response)) return
      if (path === SIGN_IN_PATHS.authorization) askForOurScopes(request, origin)
      await answer(request, response)
    },
  }
}

/** Sets the address headers, from which the library builds URLs and which a proxy may have set. */
function atPublicAddress({ headers }: IncomingMessage, origin: string): void {
  const { host, protocol } = new URL(origin)
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
}

function askForOurScopes(request: IncomingMessage, origin: string): void {
  const url = new URL(request.url ?? '', origin)
  url.searchParams.set('scope', withOurScopes(url.searchParams.get('scope')))
  request.url = `${url.pathname}${url.search}`
}

async function comeBack(work: () => Promise<void>, response: ServerResponse): Promise<void> {
  try {
    await work()
  } catch {
    const detail = 'The identity provider did not sign you in, or its answer came too late.'
    if (!response.headersSent)
      response.writeHead(400, pageHeaders()).end(problemPage('Nobody was signed in', detail))
  }
}
