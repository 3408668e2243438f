import { isLoopback } from '../base/net.ts'
import { mountLazily } from '../http/mount.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../http/server.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { SurfaceName } from '../gateway/request.ts'
import type { App } from './app.ts'
import { mountDashboard } from './mount-dashboard.ts'
import type { CodeAlone } from './open-code-api.ts'
import type { SiteOptions } from './open-site.ts'

export interface ServeOptions {
  readonly surface: SurfaceName | undefined
  readonly code?: CodeAlone | undefined
  /** Only the traces are served, by the contract of their service: X-API-Key is theirs, and /health answers as they do. */
  readonly tracesAlone?: boolean | undefined
}

/** Starts the HTTP front of a running app. */
export async function serveHttp(app: App, options: ServeOptions): Promise<HttpServer> {
  const { surface, code, tracesAlone = false } = options
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
  const codeApi = mountLazily(async () => {
    const { openCodeApi } = await import('./open-code-api.ts')
    return openCodeApi(app, code)
  })
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
    passesApiKey: tracesAlone,
    site: openLazily(app, { dashboard, codeApi, tracesAlone, startedAt: Date.now() }),
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
      codeApi.close()
      await server.close()
    },
  }
}

export function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Most gateways are asked for nothing but MCP: Hono is loaded with the first other request. */
function openLazily(app: App, options: SiteOptions): HttpServerOptions['site'] {
  let opening: Promise<HttpServerOptions['site']> | undefined
  return async (request, response) => {
    opening ??= import('./open-site.ts').then(({ openSite }) => openSite(app, options))
    await (
      await opening
    )(request, response)
  }
}
