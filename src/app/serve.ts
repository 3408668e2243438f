import type { Standalone } from '../builtins/kit/define-builtin.ts'
import { httpOrigin, isLoopback } from '../base/net/net.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../http/server.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { SurfaceName } from '../gateway/request.ts'
import type { App } from './app.ts'
import type { SiteOptions } from './open-site.ts'
import { placeAt } from '../dashboard/connect/place.ts'
import { type Mount, mountLazily } from '../http/mount.ts'
import { Observer } from '../dashboard/observer.ts'
import type { Serving } from '../dashboard/sources.ts'

/** Idle time after which a session leaves the memory; its client can go on with its id. */
const SESSION_IDLE_MS = 3_600_000

export interface ServeOptions {
  readonly surface: SurfaceName | undefined
  /** The toolset of clients that ask for none. */
  readonly toolset?: string | undefined
  /** The contract of a standalone built-in. */
  readonly standalone?: Standalone | undefined
  /** Serves the pages alone, on loopback at this port. */
  readonly pages?: { readonly dashboard: Mount; readonly port: number } | undefined
}

/**
 * Starts the HTTP front of a running app, where `listen` of its settings says.
 *
 * @example
 * ```ts
 * const server = await serveHttp(app, { surface: undefined }) // the surface of the settings
 * console.error(`http://127.0.0.1:${server.port}/mcp`)
 * ```
 */
export async function serveHttp(app: App, options: ServeOptions): Promise<HttpServer> {
  const { surface, toolset, standalone, pages } = options
  const { listen, upstreams } = app.config.settings
  const isPublic = hasOwnCredentials(app, standalone)
  const place = placeFor(listen, pages)
  if (!isPublic) await refuseOpenNetwork(app, place.host)
  const dashboard =
    pages?.dashboard ??
    mountDashboard(app, {
      sessions: () => server.sessions(),
      endpoint: () => `${place.reachedAt(server.port)}${listen.path}`,
    })
  const server: HttpServer = await startHttpServer({
    backend: app.backend,
    host: place.host,
    port: place.port,
    path: listen.path,
    pagesOnly: pages !== undefined,
    // Pages that rebind a DNS name have no key to send.
    allowedHosts: isPublic ? ['*'] : [...listen.allowedHosts, ...publicHosts(listen)],
    allowedOrigins: [...listen.allowedOrigins, ...publicOrigins(listen)],
    maxBodyBytes: listen.maxBodyBytes,
    sessions: {
      ids: app.sessionIds,
      idleMs: SESSION_IDLE_MS,
      releaseMs: upstreams.releaseMs,
      relay: app.redis?.sessions(),
    },
    relay: app.redis?.relay(),
    challenge: app.signIn?.challenge,
    surface,
    toolset,
    passesApiKey: standalone?.passesApiKey ?? false,
    requiresApiKey: isPublic,
    site: openLazily(app, {
      dashboard,
      connect: mountConnect(app),
      approve: mountApprove(app),
      health: standalone?.health,
      startedAt: Date.now(),
      probesOnly: isPublic,
    }),
  })
  serveSignIns(app, (host) => httpOrigin(host, server.port))
  app.signIn?.listenAt(httpOrigin(place.host, server.port))
  const dashboardUrl = `${place.reachedAt(server.port)}/`
  app.dashboardUrl = dashboardUrl
  app.questions.reachedAt(async () => dashboardUrl)
  app.metrics.gauge({
    name: 'sessions',
    help: 'Sessions of clients that are open.',
    read: () => server.sessions(),
  })
  return {
    ...server,
    async close() {
      dashboard.close()
      await server.close()
    },
  }
}

/** Whether a standalone built-in checks credentials itself, so that every caller may reach it. */
function hasOwnCredentials({ config }: App, standalone: Standalone | undefined): boolean {
  const { listen, auth } = config.settings
  return standalone?.passesApiKey === true && !isLoopback(listen.host) && auth.required !== true
}

/** Refuses to listen on a network by accident, without keys or a built-in that has its own. */
async function refuseOpenNetwork(app: App, host: string): Promise<void> {
  const { auth } = app.config.settings
  if (isLoopback(host) || (auth.required !== false && (await app.knowsAnybody()))) return
  throw new GatewayError('INVALID_PARAMS', `Refusing to listen on ${host} without keys`, {
    hint: 'Make keys with `portolan keys create <agent>` and leave auth.required out, or listen on 127.0.0.1.',
  })
}

type Listen = App['config']['settings']['listen']

/** Returns the public host with its port and without, as clients may send either. */
function publicHosts({ publicUrl }: Listen): string[] {
  if (publicUrl === undefined) return []
  const { host, hostname } = new URL(publicUrl)
  return [host, hostname]
}

function publicOrigins({ publicUrl }: Listen): string[] {
  return publicUrl === undefined ? [] : [publicUrl]
}

/** Where a server listens, and at which address people reach it. */
function placeFor({ host, port, publicUrl }: Listen, pages: ServeOptions['pages']) {
  if (pages) return { host: LOOPBACK, port: pages.port, reachedAt: originAt(LOOPBACK) }
  return { host, port, reachedAt: publicUrl === undefined ? originAt(host) : () => publicUrl }
}

const LOOPBACK = '127.0.0.1'

function originAt(host: string) {
  return (port: number) => httpOrigin(host, port)
}

/** Loads Hono with the first request that is not MCP, which most gateways never get. */
function openLazily(app: App, options: SiteOptions): HttpServerOptions['site'] {
  let opening: Promise<HttpServerOptions['site']> | undefined
  return async (request, response) => {
    opening ??= import('./open-site.ts')
      .then(({ openSite }) => openSite(app, options))
      .catch((error: unknown) => {
        // The next request tries again.
        opening = undefined
        throw error
      })
    await (
      await opening
    )(request, response)
  }
}

/** Mounts the pages for signing in to servers; loaded with the first request. */
function mountConnect(app: App): Mount {
  return mountLazily(async () => {
    const { createConnectPages } = await import('../dashboard/connect/create-connect-pages.ts')
    return createConnectPages(app)
  })
}

/** Mounts the pages that links to questions open; loaded with the first request. */
function mountApprove(app: App): Mount {
  return mountLazily(async () => {
    const { createApprovePages } = await import('../dashboard/approve/create-approve-pages.ts')
    return createApprovePages(app)
  })
}

/** Sets the address that browsers return to after a sign-in: the public one, or this machine. */
function serveSignIns({ people, config }: App, addressAt: (host: string) => string): void {
  const { host, publicUrl } = config.settings.listen
  // If bound to all addresses, it can at least be reached from this machine.
  people.signIns.place = placeAt(publicUrl ?? addressAt(isLoopback(host) ? host : '127.0.0.1'))
}

/** Mounts the API of the dashboard. Calls are counted from now on; the rest is loaded on demand. */
export function mountDashboard(app: App, serving: Serving): Mount {
  const observer = new Observer()
  const unsubscribe = observer.follow(app.feed)
  const mount = mountLazily(async () => {
    const { createDashboard } = await import('../dashboard/create-dashboard.ts')
    return createDashboard({ sources: app, serving, observer })
  })
  return {
    fetch: mount.fetch,
    close() {
      unsubscribe()
      mount.close()
    },
  }
}
