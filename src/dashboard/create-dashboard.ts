import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { GatewayError } from '../gateway/errors.ts'
import { HttpError, type HttpFailure, toHttpFailure } from '../http/http-error.ts'
import type { Mount, SiteEnv } from '../http/mount.ts'
import type { Role } from './contract/access.ts'
import { LiveCalls } from './live-calls.ts'
import type { Observer } from './observer.ts'
import { DASHBOARD_API } from './pages.ts'
import { readText } from './read-text.ts'
import { exportAudit, toFormat } from './audit-export.ts'
import { recordChange, recordRefusal } from './record-change.ts'
import { type Route, parseQuery } from './route.ts'
import { accessRoutes } from './routes/access-routes.ts'
import { addRoutes } from './routes/add-routes.ts'
import { agentRoutes } from './routes/agent-routes.ts'
import { connectionRoutes } from './routes/connection-routes.ts'
import { approvalRoutes } from './routes/approval-routes.ts'
import { auditFilters, auditRoutes, toAuditQuery } from './routes/audit-routes.ts'
import { callRoutes } from './routes/call-routes.ts'
import { codeRoutes } from './routes/code-routes.ts'
import { cleanReload, configRoutes } from './routes/config-routes.ts'
import { entryRoutes } from './routes/entry-routes.ts'
import { historyRoutes } from './routes/history-routes.ts'
import { knowledgeRoutes } from './routes/knowledge-routes.ts'
import { overviewRoutes } from './routes/overview-routes.ts'
import { policyRoutes } from './routes/policy-routes.ts'
import { rulesRoutes } from './routes/rules-routes.ts'
import { runRoutes } from './routes/run-routes.ts'
import { scriptRoutes } from './routes/script-routes.ts'
import { serverRoutes } from './routes/server-routes.ts'
import { traceRoutes } from './routes/trace-routes.ts'
import { userRoutes } from './routes/user-routes.ts'
import { visitorRoutes } from './routes/visitor-routes.ts'
import { mustMayChange } from './access/may-change.ts'
import { refuseOtherSites } from './access/same-site.ts'
import type { Serving, Sources } from './sources.ts'
import type { DashboardParts } from './views/describe-server.ts'
import { TokenCosts } from './views/token-costs.ts'
import { type Visitor, toVisitor } from './access/visitor.ts'

export interface DashboardOptions {
  readonly sources: Sources
  readonly serving: Serving
  readonly observer: Observer
}

interface DashboardEnv extends SiteEnv {
  readonly Variables: {
    /** Below `/api/dashboard`, decoded. */
    readonly path: string
    /** The sender of the request, once identified. */
    readonly visitor: Visitor
  }
}

const MAX_BODY = 1 << 20
const MAX_ASKED_LENGTH = 200
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const STREAM = '/calls/stream'
const EXPORT = '/audit/export'
const RANK: Readonly<Record<Role, number>> = { agent: 0, viewer: 1, admin: 2 }

export interface RouteParts extends DashboardParts {
  readonly serving: Serving
}

/** Every line of the contract but the two that are streams. */
export function dashboardRoutes({ sources, serving, observer, costs }: RouteParts): Route[] {
  return [
    ...visitorRoutes(sources, serving),
    ...overviewRoutes({ sources, serving, observer, costs }),
    ...callRoutes(sources),
    ...serverRoutes({ sources, observer, costs }),
    ...addRoutes(sources),
    ...entryRoutes(sources),
    ...runRoutes({ sources, observer, costs }),
    ...connectionRoutes(sources),
    ...accessRoutes(sources),
    ...userRoutes(sources),
    ...agentRoutes({ sources, observer, costs }),
    ...auditRoutes(sources),
    ...configRoutes(sources),
    ...historyRoutes(sources),
    ...approvalRoutes(sources),
    ...policyRoutes({ sources, observer, costs }),
    ...rulesRoutes({ sources, observer, costs }),
    ...codeRoutes(sources),
    ...knowledgeRoutes(sources),
    ...traceRoutes(sources),
    ...scriptRoutes(sources),
  ]
}

/** The API behind the dashboard: everything below `/api/dashboard`. */
export function createDashboard({ sources, serving, observer }: DashboardOptions): Mount {
  const costs = new TokenCosts()
  const live = new LiveCalls(sources, (json) => sources.secrets.hideJson(json))
  const unsubscribe = sources.onReload((reload) => live.reloaded(cleanReload(reload)))
  const routes = dashboardRoutes({ sources, serving, observer, costs })
  // If hiding secrets fails, this throws, and the body is not sent.
  const encode = (body: unknown) => sources.secrets.hideJson(JSON.stringify(body))
  const fail = (error: unknown, c?: Context<DashboardEnv>): Response => {
    const failure = toHttpFailure(error)
    const { status, headers, body } = failure
    if (c && isRefusal(error, failure)) {
      const asked = `${c.req.method} ${new URL(c.req.url).pathname.slice(DASHBOARD_API.length)}`
      const [agent] = c.get('visitor')?.actAs ?? []
      recordRefusal(sources, { asked: asked.slice(0, MAX_ASKED_LENGTH), failure, agent })
    }
    return new Response(encode(body), { status, headers: { ...HEADERS, ...headers } })
  }

  function admit({
    role,
    changes,
  }: Pick<Route, 'role' | 'changes'>): MiddlewareHandler<DashboardEnv> {
    return async function admitVisitor(c, next) {
      const visitor = role === null ? ANONYMOUS : await toVisitor(c.env.incoming, sources)
      c.set('visitor', visitor)
      if (role !== null) requireRole(visitor, role)
      if (changes) mustMayChange(visitor)
      await next()
    }
  }

  const api = new Hono<DashboardEnv>({ strict: false }).basePath(DASHBOARD_API)
  api.use(async function refuse(c, next) {
    refuseOtherSites(c.env.incoming, sources.config.settings.listen.allowedOrigins)
    c.set('path', decodePath(c.req.url))
    await next()
  })
  for (const route of routes)
    api.on(route.method, route.path, admit(route), async (c) => {
      const body = await route.answer({
        visitor: c.get('visitor'),
        params: c.req.param(),
        query: c.req.query(),
        body: route.method === 'GET' ? undefined : await readJson(c.req),
        request: c.env.incoming,
        setHeader: (name, value) => c.header(name, value),
      })
      return c.body(encode(body), 200, HEADERS)
    })
  api.get(STREAM, admit({ role: 'viewer', changes: false }), (c) => {
    if (c.req.method === 'HEAD') throw methodNotAllowed(c)
    void live.open(c.env.incoming, c.env.outgoing, new URL(c.req.url).searchParams)
    return RESPONSE_ALREADY_SENT
  })
  api.get(EXPORT, admit({ role: 'viewer', changes: false }), async (c) => {
    if (c.req.method === 'HEAD') throw methodNotAllowed(c)
    const format = toFormat(c.req.query('format') ?? null)
    const filters = parseQuery(auditFilters, c.req.query())
    const query = toAuditQuery(filters, c.get('visitor'), sources)
    recordChange(sources, c.get('visitor'), 'audit.export', { format, ...filters })
    await exportAudit(sources, query, format, c.env.outgoing)
    return RESPONSE_ALREADY_SENT
  })
  for (const path of new Set([STREAM, EXPORT, ...routes.map((route) => route.path)]))
    api.all(path, (c) => {
      throw methodNotAllowed(c)
    })
  api.notFound((c) => fail(new HttpError(404, 'NOT_FOUND', `There is nothing at ${c.get('path')}`)))
  api.onError(fail)

  return {
    fetch: api.fetch,
    close() {
      unsubscribe()
      live.close()
    },
  }
}

/** A request without a credential does not count as refused: the page then asks for one. */
function isRefusal(error: unknown, { status }: HttpFailure): boolean {
  const isMissing = error instanceof GatewayError && error.details.reason === 'no_credential'
  return (status === 401 || status === 403) && !isMissing
}

function requireRole(visitor: Visitor, role: Role): void {
  if (RANK[visitor.role] >= RANK[role]) return
  throw new HttpError(
    403,
    'ROLE_REQUIRED',
    `This needs the role ${role}; yours is ${visitor.role}`,
    `Ask for a key made with \`portolan keys create <agent> --role ${role}\`.`,
  )
}

const ANONYMOUS: Visitor = {
  role: 'agent',
  via: 'open',
  mayChange: false,
  actAs: [],
  caller: { transport: 'http', credential: undefined, claimedAgent: undefined },
}

async function readJson({ raw }: Context['req']): Promise<unknown> {
  const text = await readText(raw, MAX_BODY)
  if (text === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    return body
  } catch {
    throw new HttpError(400, 'INVALID_PARAMS', 'The request is not JSON')
  }
}

/** Rejects paths that cannot be decoded; Hono would pass them on undecoded. */
function decodePath(url: string): string {
  const { pathname } = new URL(url)
  try {
    return decodeURIComponent(pathname).slice(DASHBOARD_API.length)
  } catch (cause) {
    throw new HttpError(400, 'INVALID_PARAMS', `"${pathname}" is not well encoded`, String(cause))
  }
}

function methodNotAllowed(c: Context<DashboardEnv>): HttpError {
  const message = `${c.req.method} is not possible at ${c.get('path')}`
  return new HttpError(405, 'METHOD_NOT_ALLOWED', message)
}
