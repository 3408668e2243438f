import type { Standalone } from '../builtins/kit/define-builtin.ts'
import { isLoopback } from '../base/net.ts'
import { type HttpServer, type Page, type PageAnswer, startHttpServer } from '../http/server.ts'
import { toArrival } from '../http/arrival.ts'
import { toCaller } from '../fronts/backend.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { SurfaceName } from '../gateway/request.ts'
import type { App } from './app.ts'
import { type StandaloneApi, mountBuiltinApis } from './builtin-apis.ts'
import { mountDashboard } from './mount-dashboard.ts'
import { VERSION } from '../base/version.ts'

export interface ServeOptions {
  readonly surface: SurfaceName | undefined
  /** The contract of the only built-in that is served, and its API where it has one. */
  readonly standalone?: Standalone | undefined
  readonly standaloneApi?: StandaloneApi | undefined
}

/** Starts the HTTP front of a running app. */
export async function serveHttp(app: App, options: ServeOptions): Promise<HttpServer> {
  const { surface, standalone, standaloneApi } = options
  const { listen, auth, upstreams } = app.config.settings
  const closed = auth.required !== false && (await app.knowsAnybody())
  if (!isLoopback(listen.host) && !closed)
    throw new GatewayError('INVALID_PARAMS', `Refusing to listen on ${listen.host} without keys`, {
      hint: 'Make keys with `portolan keys create <agent>` and leave auth.required out, or listen on 127.0.0.1.',
    })
  const dashboard = mountDashboard(app, {
    sessions: () => server.sessions(),
    endpoint: () => `${addressOf(listen.host, server.port)}${listen.path}`,
  })
  const apis = mountBuiltinApis(app, standaloneApi)
  const server: HttpServer = await startHttpServer({
    backend: app.backend,
    host: listen.host,
    port: listen.port,
    path: listen.path,
    allowedHosts: listen.allowedHosts,
    allowedOrigins: listen.allowedOrigins,
    maxBodyBytes: listen.maxBodyBytes,
    sessionTimes: { idleMs: listen.sessionIdleMs, releaseMs: upstreams.releaseMs },
    sessionStore: app.redis?.sessions(listen.sessionIdleMs),
    relay: app.redis?.relay(),
    surface,
    passesApiKey: standalone?.passesApiKey ?? false,
    pages: pages(app, standalone?.health),
    mounts: [dashboard.api, ...apis.mounts, dashboard.pages],
  })
  app.dashboardUrl = `${addressOf(listen.host, server.port)}/`
  app.metrics.gauge({
    name: 'sessions',
    help: 'Sessions of clients that are open.',
    read: () => server.sessions(),
  })
  return {
    ...server,
    async close() {
      dashboard.close()
      apis.close()
      await server.close()
    },
  }
}

export function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const HEALTH = { status: 'ok', service: 'portolan' }

function pages(app: App, health: Standalone['health'] = HEALTH): Record<string, Page> {
  const startedAt = Date.now()
  return {
    '/health': () =>
      json(200, {
        status: health.status,
        service: health.service,
        version: VERSION,
        uptime_seconds: Math.round((Date.now() - startedAt) / 1000),
      }),
    '/ready': async () => {
      const { status, checks } = await app.ready()
      const servers_configured = app.config.servers.size
      return json(status === 'unready' ? 503 : 200, { status, servers_configured, checks })
    },
    '/metrics': async (request) => {
      try {
        await app.backend.authenticate(toCaller(toArrival(request, undefined, {})))
      } catch (error) {
        return refused(error)
      }
      if (request.headers.accept?.includes('application/json'))
        return json(200, app.metrics.summary())
      return { status: 200, type: 'text/plain; version=0.0.4', body: app.metrics.render() }
    },
  }
}

/** Whoever cannot be checked is refused too: only a known caller gets past this. */
function refused(error: unknown): PageAnswer {
  const isBad =
    error instanceof GatewayError &&
    (error.code === 'UNAUTHENTICATED' || error.code === 'INVALID_AGENT_ID')
  if (isBad) return json(401, { error: error.toObject() })
  const unchecked = new GatewayError('SERVER_UNAVAILABLE', 'The credential cannot be checked now', {
    hint: 'Try again once the keys or the identity provider can be reached; the log says why they cannot.',
  })
  return json(503, { error: unchecked.toObject() })
}

function json(status: number, value: unknown): PageAnswer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` }
}
