import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { packageFile } from '../base/files/package-files.ts'
import { VERSION } from '../base/version.ts'
import type { Standalone } from '../builtins/kit/define-builtin.ts'
import { CONNECT } from '../dashboard/connect/place.ts'
import { DASHBOARD_API, isPage } from '../dashboard/pages.ts'
import { GatewayError } from '../gateway/errors.ts'
import { toArrival } from '../http/arrival.ts'
import { HttpError, toHttpFailure } from '../http/http-error.ts'
import type { Mount, SiteEnv } from '../http/mount.ts'
import { createStaticPages } from '../http/static-pages.ts'
import { APPROVE } from '../identity/approval-links.ts'
import type { App } from './app.ts'

export interface SiteOptions {
  readonly dashboard: Mount
  /** Signing in to the servers behind the gateway. */
  readonly connect: Mount
  /** Answering the questions of calls by a link. */
  readonly approve: Mount
  /** The answer of `/health`, if the contract of a standalone built-in differs from ours. */
  readonly health?: Standalone['health']
  readonly startedAt: number
  /** Serves only probes, as callers have credentials of a built-in and none of the gateway. */
  readonly probesOnly?: boolean | undefined
}

/** Where the build puts the pages. */
const PAGES = packageFile('dist/web')

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Portolan</title>
<h1>Portolan is running; its dashboard is not built</h1>
<p>Run <code>npm run build</code> in the folder of Portolan, then load this page again.</p>
<p>The MCP endpoint and <a href="/health">/health</a> work without it.</p></html>
`

/** Serves everything over HTTP besides MCP: probes, metrics, the APIs and the pages. */
export function openSite(app: App, options: SiteOptions) {
  const { probesOnly = false } = options
  const site = new Hono<SiteEnv>()
  probes(site, app, options)
  if (!probesOnly) pages(site, app, options)
  site.notFound(async (c) => {
    const { method, path } = c.req
    const wantsPage = method === 'GET' && c.req.header('accept')?.includes('text/html') === true
    if (!probesOnly && wantsPage && !FOR_PROGRAMS.test(path))
      return (await import('./not-found-page.ts')).notFoundPage(path)
    return fail(notFound(path, app.config.settings.listen.path))
  })
  site.onError(fail)
  const listener = getRequestListener(site.fetch, { overrideGlobalObjects: false })
  return async (request: IncomingMessage, response: ServerResponse) => {
    // The sign-in library works with Node's own request and response.
    if (await app.signIn?.handle(request, response)) return
    await listener(request, response)
  }
}

function pages(
  site: Hono<SiteEnv>,
  app: App,
  { dashboard, connect, approve }: Pick<SiteOptions, 'dashboard' | 'connect' | 'approve'>,
): void {
  site.all('/metrics', async (c) => {
    await authenticate(c.env.incoming, app)
    if (c.req.header('accept')?.includes('application/json')) return c.json(app.metrics.summary())
    return c.body(app.metrics.render(), 200, { 'content-type': 'text/plain; version=0.0.4' })
  })
  site.all(`${DASHBOARD_API}/*`, async (c) => dashboard.fetch(c.req.raw, c.env))
  site.all(`${CONNECT}/*`, async (c) => connect.fetch(c.req.raw, c.env))
  site.all(`${APPROVE}/*`, async (c) => approve.fetch(c.req.raw, c.env))
  site.route('/', createStaticPages({ folder: PAGES, whenMissing: NOT_BUILT, isPage }))
}

const HEALTH = { status: 'ok', service: 'portolan' }

function probes(site: Hono<SiteEnv>, app: App, { health = HEALTH, startedAt }: SiteOptions): void {
  site.all('/health', (c) =>
    c.json({
      status: health.status,
      service: health.service,
      version: VERSION,
      uptime_seconds: Math.round((Date.now() - startedAt) / 1000),
    }),
  )
  site.all('/ready', async (c) => {
    const { status, checks } = await app.ready()
    const servers_configured = app.config.servers.size
    return c.json({ status, servers_configured, checks }, status === 'unready' ? 503 : 200)
  })
}

/** Refuses unknown callers, and all callers while credentials cannot be checked. */
async function authenticate(request: IncomingMessage, { backend }: App): Promise<void> {
  try {
    await backend.authenticate(toArrival(request, undefined, {}))
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'SERVER_UNAVAILABLE') throw error
    const advice =
      'Try again once the keys or the identity provider can be reached; the log says why they cannot.'
    throw new HttpError(503, 'SERVER_UNAVAILABLE', 'The credential cannot be checked now', advice)
  }
}

/** Clients that look for OAuth metadata, APIs or files parse the body of every answer as JSON. */
const FOR_PROGRAMS = /^\/(?:\.well-known|api|assets|register|authorize|token)(?:\/|$)|\.\w+$/

function notFound(path: string, mcpPath: string): HttpError {
  const where = `The MCP endpoint is ${mcpPath} and the dashboard is at /.`
  const how = 'Where a key is needed, send it as "Authorization: Bearer <key>".'
  return new HttpError(404, 'NOT_FOUND', `There is nothing at ${path}`, `${where} ${how}`)
}

function fail(error: unknown): Response {
  const { status, headers, body } = toHttpFailure(error)
  return Response.json(body, { status, headers })
}
