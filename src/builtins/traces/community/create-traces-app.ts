import { randomUUID } from 'node:crypto'
import { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { lastRun } from '../../../storage/traces/consolidation.ts'
import { METRICS } from '../common-trace-names.ts'
import { ApiError } from '../service/api-error.ts'
import { type Problem, problem, toProblem } from '../service/problem.ts'
import type { TracesSettings } from '../service/settings.ts'
import type { CommunityDeps } from './deps.ts'
import { routesOf } from './http/routes.ts'
import type { TracesApp, TracesEnv } from './http/traces-env.ts'
import { communityRoutes } from './routes/community-routes.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { ownerRoutes } from './routes/owner-routes.ts'
import { serviceRoutes } from './routes/service-routes.ts'

const MAX_BODY = 1024 * 1024
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Hints for errors that the framework raises. */
const HINTS: Readonly<Record<number, string>> = {
  415: 'Send the body as JSON, with Content-Type: application/json',
}

/** Creates the REST API. It runs behind an HTTP server, or in process through its own `fetch`. */
export function createTracesApp(deps: CommunityDeps): TracesApp {
  const app: TracesApp = new OpenAPIHono<TracesEnv>()

  app.use(async function requestId(c, next) {
    const started = performance.now()
    c.set('requestId', randomUUID())
    await next()
    c.res.headers.set('X-Request-ID', c.get('requestId'))
    if (deps.settings.debug) record(deps, c, (performance.now() - started) / 1000)
  })
  app.use(secureHeaders())
  app.use(
    cors({
      origin: [...deps.settings.corsOrigins],
      allowMethods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
      allowHeaders: [deps.settings.apiKeyHeaderName, 'X-Admin-Token', 'Content-Type'],
    }),
  )
  app.use(
    bodyLimit({
      maxSize: MAX_BODY,
      onError: () => {
        // The rest of the body is not read, so that the connection cannot be used again.
        throw new ApiError(413, 'Request body too large', { headers: { Connection: 'close' } })
      },
    }),
  )
  app.onError((error, c) => {
    const requestId = c.get('requestId')
    if (!(error instanceof HTTPException))
      return toResponse(toProblem(error, requestId, deps.onFault))
    const detail = HINTS[error.status] ?? (error.message || 'Bad request')
    return toResponse(problem(error.status, detail, { requestId }))
  })
  app.notFound((c) => {
    const detail = `There is no ${c.req.method} ${c.req.path}`
    return toResponse(problem(404, detail, { requestId: c.get('requestId') }))
  })

  const routes = routesOf(app, deps)
  keyRoutes(routes, deps)
  serviceRoutes(routes, deps)
  communityRoutes(routes, deps)
  ownerRoutes(routes, deps)
  healthRoute(app, deps)
  if (deps.settings.debug) app.get('/metrics', (c) => c.text(deps.metrics.render()))
  describe(app, deps.settings)
  return app
}

/** Writes a log line and updates the metrics; for debugging. */
function record(deps: CommunityDeps, c: Context<TracesEnv>, seconds: number): void {
  const { method, path } = c.req
  const { status } = c.res
  // Otherwise each trace id and each unknown path would create a metric series of its own.
  const route = status === 404 ? 'other' : path.replaceAll(UUID, '{id}')
  const labels = { method, path: route }
  deps.metrics.count(`${METRICS}_http_requests_total`, { ...labels, status: String(status) })
  deps.metrics.time(`${METRICS}_http_request_duration_seconds`, labels, seconds)
  const line = { request_id: c.get('requestId'), method, path, status, duration_ms: seconds * 1000 }
  deps.log(JSON.stringify(line))
}

function healthRoute(app: TracesApp, { storage, limiter, semantic }: CommunityDeps): void {
  const health = z.object({
    status: z.enum(['ok', 'degraded']),
    checks: z.record(z.string(), z.string()),
  })
  const content = { 'application/json': { schema: health } }
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/health',
    summary: 'Whether the service can do its work',
    responses: {
      200: { content, description: 'Well' },
      503: { content, description: 'The database cannot be reached' },
    },
  })
  app.get('/health', async (c) => {
    const isUp = await storage.ping().then(
      () => true,
      () => false,
    )
    const last = isUp ? await lastRun(storage.db) : undefined
    const checks = {
      database: isUp ? 'ok' : 'unavailable',
      // Optional, so it does not affect the status: without it, each process limits on its own.
      redis: limiter.state ?? 'off',
      embedding_worker: semantic ? 'on' : 'off',
      consolidation_worker: last?.status ?? 'not run yet',
    }
    return c.json({ status: isUp ? 'ok' : 'degraded', checks }, isUp ? 200 : 503)
  })
}

function describe(app: TracesApp, { appName, apiKeyHeaderName: name }: TracesSettings): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name,
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'AdminToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Token',
  })
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: appName,
      version: '1',
      description: 'What agents have learnt, shared: search, contribute, vote, amend.',
    },
  })
}

export function toResponse({ status, body, headers }: Problem): Response {
  return Response.json(body, {
    status,
    headers: {
      ...headers,
      'Content-Type': 'application/problem+json',
      'X-Request-ID': String(body['request_id']),
    },
  })
}
