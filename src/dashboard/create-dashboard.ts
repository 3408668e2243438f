import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyTooLarge, readBody } from '../http/body.ts'
import type { Role } from './contract.ts'
import { LiveCalls } from './live-calls.ts'
import type { Observer } from './observer.ts'
import { Refusal, toFailed } from './refusal.ts'
import { type Route, findRoute } from './route.ts'
import { agentRoutes } from './routes/agent-routes.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import { callRoutes } from './routes/call-routes.ts'
import { codeRoutes } from './routes/code-routes.ts'
import { configRoutes } from './routes/config-routes.ts'
import { knowledgeRoutes } from './routes/knowledge-routes.ts'
import { overviewRoutes } from './routes/overview-routes.ts'
import { policyRoutes } from './routes/policy-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { traceRoutes } from './routes/trace-routes.ts'
import { visitorRoutes } from './routes/visitor-routes.ts'
import { refuseOtherSites } from './same-site.ts'
import type { Serving, Sources } from './sources.ts'
import { TokenCosts } from './token-costs.ts'
import { type Visitor, toVisitor } from './visitor.ts'

export const DASHBOARD_API = '/api/dashboard'

export interface DashboardOptions {
  readonly sources: Sources
  readonly serving: Serving
  readonly observer: Observer
}

export interface Dashboard {
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>
  close(): void
}

const MAX_BODY = 1 << 20
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const RANK: Readonly<Record<Role, number>> = { agent: 0, viewer: 1, admin: 2 }

/** The API behind the dashboard: everything below `/api/dashboard`. */
export function createDashboard({ sources, serving, observer }: DashboardOptions): Dashboard {
  const costs = new TokenCosts()
  const live = new LiveCalls(sources.feed, (json) => sources.secrets.hideJson(json))
  const routes: readonly Route[] = [
    ...visitorRoutes(sources, serving),
    ...overviewRoutes({ sources, serving, observer, costs }),
    ...callRoutes(sources),
    ...serverRoutes({ sources, observer, costs }),
    ...agentRoutes(sources, costs),
    ...auditRoutes(sources),
    ...configRoutes(sources),
    ...policyRoutes(sources, costs),
    ...codeRoutes(sources),
    ...knowledgeRoutes(sources),
    ...traceRoutes(sources),
  ]

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<unknown> {
    const path = url.pathname.slice(DASHBOARD_API.length)
    const { method = 'GET' } = request
    refuseOtherSites(request, sources.config.settings.listen.allowedOrigins)
    const { route, params } = findRoute(routes, method, path)
    const visitor = await admitted(request, sources, route.role)
    if (path === '/calls/stream') {
      live.open(request, response, url.searchParams)
      return undefined
    }
    const body = method === 'GET' ? undefined : await readJson(request)
    return route.answer({ visitor, params, query: url.searchParams, body, request, response })
  }

  return {
    async handle(request, response, url) {
      const { status, body } = await answer(request, response, url).then(
        (value) => ({ status: 200, body: value }),
        toFailed,
      )
      if (body === undefined || response.destroyed) return
      // Should hiding fail, this throws, and the body is shown to nobody.
      const text = sources.secrets.hideJson(JSON.stringify(body))
      const challenge = status === 401 && { 'www-authenticate': 'Bearer realm="portolan"' }
      response.writeHead(status, { ...HEADERS, ...challenge }).end(text)
    },
    close: () => live.close(),
  }
}

async function admitted(
  request: IncomingMessage,
  sources: Sources,
  role: Role | null,
): Promise<Visitor> {
  if (role === null) return NOBODY
  const visitor = await toVisitor(request, sources)
  if (RANK[visitor.role] >= RANK[role]) return visitor
  throw new Refusal(
    403,
    'ROLE_REQUIRED',
    `This needs the role ${role}; yours is ${visitor.role}`,
    `Ask for a key made with \`portolan keys create <agent> --role ${role}\`.`,
  )
}

const NOBODY: Visitor = {
  role: 'agent',
  via: 'open',
  actAs: [],
  caller: { transport: 'http', credential: undefined, claimedAgent: undefined },
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request, MAX_BODY).catch((error: unknown) => {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new Refusal(413, 'TOO_LARGE', `The request is larger than ${MAX_BODY} bytes`)
  })
  if (text === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    return body
  } catch {
    throw new Refusal(400, 'INVALID_PARAMS', 'The request is not JSON')
  }
}
