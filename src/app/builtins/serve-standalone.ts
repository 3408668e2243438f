import { httpOrigin } from '../../base/net/net.ts'
import { type BuiltinName } from '../../builtins/index.ts'
import type { Builtin } from '../../builtins/kit/define-builtin.ts'
import type { BuiltinServer, OpenApiServer } from '../../config/servers/servers.ts'
import type { Settings, SettingsInput } from '../../config/settings/settings.ts'
import { watchConfig } from '../../config/reload/watch.ts'
import type { Service } from '../../protocol/service.ts'
import { serveStdio } from '../../fronts/stdio.ts'
import { type Log, createLog } from '../../telemetry/log.ts'
import { loadSettings } from '../../config/load.ts'
import { openTelemetry } from '../telemetry.ts'
import { type App, createApp } from '../app.ts'
import type { CallTally } from './open-service.ts'
import { serveHttp } from '../serve.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Feed } from '../../telemetry/feed.ts'
import type { Environment } from '../../base/environment.ts'
import { Lazy } from '../../base/flow/lazy.ts'
import { findBuiltin } from '../../builtins/find-builtin.ts'

/** How clients reach a standalone server. */
export type StandaloneTransport =
  | { readonly kind: 'stdio' }
  | {
      readonly kind: 'streamable-http' | 'websocket'
      readonly host: string
      readonly port: number
      readonly path: string
    }

export interface StandaloneOptions {
  readonly transport: StandaloneTransport
  /** The built-in to run; if absent, an API, with the budgets and the cache of one. */
  readonly builtin?: BuiltinName | undefined
  readonly debug?: boolean | undefined
  readonly env: Environment
  /** Called with the address once it is served over HTTP. */
  readonly onListening: (url: string) => void
  /** On stdio: the port of the pages, served from the start if given, otherwise on demand. */
  readonly dashboardPort?: number | undefined
  /** Receives a function that returns the address of the pages and, on stdio, serves them. */
  readonly onDashboard?: ((open: () => Promise<string | undefined>) => void) | undefined
  /** Counts calls for a service that reports its health. */
  readonly tally?: CallTally | undefined
  /** On stdio: time without a call after which the process ends; never when absent. */
  readonly idleMs?: number | undefined
  /** Resolves when it is time to stop. */
  readonly untilStopped: () => Promise<void>
}

/**
 * Runs one service by itself, under the names of its own contract, through the same gateway as
 * everything else: the same budgets, cache, audit and transports.
 */
export async function serveStandalone(service: Service, options: StandaloneOptions): Promise<void> {
  const { transport, env, debug = false, tally } = options
  const builtin = options.builtin && findBuiltin(options.builtin)
  const only = asServer(service, options.builtin)
  const log = createLog({ level: debug ? 'debug' : 'warn' })
  const overrides: SettingsInput = {
    surface: 'direct',
    debug,
    ...toListen(options, builtin),
    ...toAuth(loadSettings({ only, env }), builtin),
  }
  const settings = loadSettings({ only, env, flags: { overrides } })
  const app = createApp({
    env,
    telemetry: await openTelemetry(settings, env, log),
    watch: (listeners) => watchConfig({ only, env, flags: { overrides } }, listeners),
    log,
    openService: async () => service,
    info: builtin ? service.info : apiInfo(service),
  })
  tally?.follow(app.feed)
  try {
    if (transport.kind === 'stdio') await overStdio(app, options, { page: builtin?.page, log })
    else await overHttp(app, options, builtin)
  } catch (error) {
    await app.close()
    throw error
  }
}

async function overStdio(
  app: App,
  options: StandaloneOptions,
  { page, log }: { readonly page: string | undefined; readonly log: Log },
): Promise<void> {
  const { env, idleMs, untilStopped } = options
  const pages = page === undefined ? undefined : await offerPages(app, options, { page, log })
  const front = serveStdio({
    backend: app.backend,
    arrival: {
      transport: 'stdio',
      credential: env['PORTOLAN_KEY'],
      claimedAgent: undefined,
      headers: {},
      surface: 'direct',
      projectPath: undefined,
      alone: true,
    },
    maxFrameBytes: app.config.settings.listen.maxBodyBytes,
    input: process.stdin,
    output: process.stdout,
  })
  await Promise.race([front.ended, untilStopped(), untilIdle(app.feed, idleMs)])
  await pages?.close()
  await app.leave(front)
}

/** Serves pages beside stdio: at once if a port was chosen, otherwise when first asked for. */
async function offerPages(
  app: App,
  { dashboardPort, onDashboard, onListening }: StandaloneOptions,
  { page, log }: { readonly page: string; readonly log: Log },
): Promise<{ close(): Promise<void> }> {
  const serving = new Lazy(async () => serveHttp(app, { surface: 'direct' }))
  const open = async (): Promise<string> => pageOf(app, await serving.get(), page)
  onDashboard?.(open)
  if (dashboardPort !== undefined)
    await open().then(
      onListening,
      // Another editor's server may have the port; agents are served nevertheless.
      (error: unknown) => log.warn(`no dashboard: ${String(error)}`),
    )
  return { close: async () => (await serving.made())?.close() }
}

async function overHttp(
  app: App,
  { onListening, untilStopped, onDashboard }: StandaloneOptions,
  builtin: Builtin | undefined,
): Promise<void> {
  const server = await serveHttp(app, {
    surface: 'direct',
    standalone: builtin?.standalone,
  })
  const { host } = app.config.settings.listen
  onDashboard?.(async () => pageOf(app, server, builtin?.page))
  onListening(httpOrigin(host, server.port))
  await untilStopped()
  await app.leave(server)
}

function pageOf({ config }: App, { port }: HttpServer, page = '/'): string {
  return `${httpOrigin(config.settings.listen.host, port)}${page}`
}

function toListen(
  { transport, dashboardPort = 0 }: StandaloneOptions,
  builtin: Builtin | undefined,
): SettingsInput {
  if (transport.kind === 'stdio')
    return builtin?.page ? { listen: { host: '127.0.0.1', port: dashboardPort } } : {}
  const { host, port, path } = transport
  return { listen: { host, port, path } }
}

/** A built-in with its own keys requires keys of the gateway only if the settings say so. */
function toAuth({ auth }: Settings, builtin: Builtin | undefined): SettingsInput {
  const hasOwnKeys = builtin?.standalone?.passesApiKey === true
  return hasOwnKeys && auth.required === 'auto' ? { auth: { required: false } } : {}
}

/** As an API is called by its title, so was the server that people know. */
function apiInfo({ info }: Service): Service['info'] {
  return { ...info, name: info.title ?? info.name }
}

function asServer(
  { info }: Service,
  builtin: BuiltinName | undefined,
): OpenApiServer | BuiltinServer {
  const common = { enabled: true, protocol: 'auto', session: 'auto', extra: {} } as const
  if (builtin) return { ...common, kind: 'builtin', name: builtin, builtin }
  const name = info.name.replaceAll(/[^\w-]+/g, '-')
  return { ...common, kind: 'openapi', name, openapi: info.name }
}

/** Resolves after this time without a call; never if no time is given. */
export async function untilIdle(
  feed: Pick<Feed, 'listen'>,
  idleMs: number | undefined,
): Promise<void> {
  await new Promise<void>((resolve) => {
    if (idleMs === undefined) return
    const timer = setTimeout(resolve, idleMs).unref()
    feed.listen(() => timer.refresh())
  })
}
