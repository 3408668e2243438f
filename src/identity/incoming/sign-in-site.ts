import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Storage } from '../../storage/storage.ts'
import { openAuthorizationServer } from './server/authorization-server.ts'
import { createFetchPublic } from './server/fetch-public.ts'
import { pageHeaders } from './pages/html.ts'
import { problemPage } from './pages/pages.ts'
import type { ProtectedResource } from './tokens/protected-resource.ts'
import { withOurScopes } from './tokens/scopes.ts'
import { SIGN_IN_PATHS } from './sign-in-paths.ts'
import type { Site, SignInOptions } from './sign-in.ts'
import { createTeamProvider } from './team-provider.ts'
import { createVisits } from './pages/visits.ts'

export interface SiteParts extends Omit<SignInOptions, 'openStorage'> {
  readonly storage: Storage
  readonly resource: ProtectedResource
}

/** Everything below `/oauth`, and the metadata that leads there. */
export async function openSignInSite(parts: SiteParts): Promise<Site> {
  const { settings, keys, seal, storage, resource, serversOf } = parts
  const { origin } = resource
  const { listen, auth } = settings
  const server = await openAuthorizationServer({
    ...auth.server,
    resource,
    defaultResource: `${origin}${listen.path}`,
    storage,
    keys,
    seal,
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
  const visits = createVisits({ server, origin, keys, provider, serversOf })
  const answer = server.provider.callback()
  return {
    server,
    async handle(request, response) {
      atPublicAddress(request, origin)
      const [path = ''] = (request.url ?? '').split('?')
      if (path.startsWith(`${SIGN_IN_PATHS.pages}/`)) return visits.handle(request, response)
      if (path === SIGN_IN_PATHS.providerCallback && provider)
        return comeBack(async () => provider.callback(request, response), response)
      if (path === SIGN_IN_PATHS.authorization) askForOurScopes(request, origin)
      await answer(request, response)
    },
  }
}

/** The library builds addresses from what a request says of itself, and a proxy may say anything. */
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
