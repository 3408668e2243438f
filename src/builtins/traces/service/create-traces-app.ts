import { randomUUID } from 'node:crypto'
import { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { lastRun } from '../../../storage/traces/consolidation.ts'
import type { Deps } from './deps.ts'
import { ApiError } from './api-error.ts'
import { createGuards } from './http/guards.ts'
import { answer } from './http/route-parts.ts'
import { problem, toProblem } from './http/to-problem.ts'
import type { TracesApp, TracesEnv } from './http/traces-env.ts'
import type { TracesSettings } from './settings.ts'
import { amendmentRoutes } from './routes/amendment-routes.ts'
import { browseRoutes } from './routes/browse-routes.ts'
import { communityRoutes } from './routes/community-routes.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { moderationRoutes } from './routes/moderation-routes.ts'
import { ownerRoutes } from './routes/owner-routes.ts'
import { telemetryRoutes } from './routes/telemetry-routes.ts'
import { traceRoutes } from './routes/trace-routes.ts'

const MAX_BODY = 1024 * 1024
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Creates the REST API. It runs behind an HTTP server, or in process through its own `fetch`. */
export function createTracesApp(deps: Deps): TracesApp {
  const app: TracesApp = new OpenAPIHono<TracesEnv>({ defaultHook: refuseInvalid })

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
      allowHeaders: [deps.settings.keyHeader, 'X-Admin-Token', 'Content-Type'],
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
  app.onError((error, c) => toProblem(error, c, deps.onFault))
  app.notFound((c) =>
    problem(404, `There is no ${c.req.method} ${c.req.path}`, { requestId: c.get('requestId') }),
  )

  const guards = createGuards(deps)
  keyRoutes(app, deps, guards)
  traceRoutes(app, deps, guards)
  amendmentRoutes(app, deps, guards)
  moderationRoutes(app, deps, guards)
  browseRoutes(app, deps, guards)
  communityRoutes(app, deps, guards)
  telemetryRoutes(app, deps, guards)
  ownerRoutes(app, deps, guards)
  healthRoute(app, deps)
  if (deps.settings.debug) app.get('/metrics', (c) => c.text(deps.metrics.render()))
  describe(app, deps.settings)
  return app
}

/** Writes a log line and updates the metrics; for debugging. */
function record(deps: Deps, c: Context<TracesEnv>, seconds: number): void {
  const { method, path } = c.req
  const { status } = c.res
  // Otherwise each trace id and each unknown path would create a metric series of its own.
  const route = status === 404 ? 'other' : path.replaceAll(UUID, '{id}')
  const labels = { method, path: route }
  deps.metrics.count('commontrace_http_requests_total', { ...labels, status: String(status) })
  deps.metrics.time('commontrace_http_request_duration_seconds', labels, seconds)
  const line = { request_id: c.get('requestId'), method, path, status, duration_ms: seconds * 1000 }
  deps.log(JSON.stringify(line))
}

function healthRoute(app: TracesApp, deps: Deps): void {
  const checks = z.record(z.string(), z.string())
  const health = z.object({ status: z.enum(['ok', 'degraded']), checks })
  app.openapi(
    {
      method: 'get',
      path: '/health',
      summary: 'Whether the service can do its work',
      responses: { 200: answer(health, 'Well'), 503: answer(health, 'The database is out') },
      getRoutingPath: () => '/health',
    },
    async (c) => {
      const database = await deps.storage.ping().then(
        () => 'ok',
        () => 'unavailable',
      )
      const last = database === 'ok' ? await lastRun(deps.storage.db) : undefined
      const body = {
        status: database === 'ok' ? ('ok' as const) : ('degraded' as const),
        checks: {
          database,
          // Optional, so it does not affect the status: without it, each process limits on its own.
          redis: deps.limiter.state ?? 'off',
          embedding_worker: deps.semantic ? 'on' : 'off',
          consolidation_worker: last?.status ?? 'not run yet',
        },
      }
      return body.status === 'ok' ? c.json(body, 200) : c.json(body, 503)
    },
  )
}

function describe(app: TracesApp, { appName, keyHeader }: TracesSettings): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: keyHeader,
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

type Validation = { success: true } | { success: false; error: z.ZodError }

function refuseInvalid(result: Validation): undefined {
  if (result.success) return undefined
  const errors = result.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }))
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  throw new ApiError(422, detail.join('; '), { extra: { errors } })
}
