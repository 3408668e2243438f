import type { BuiltinServer, OpenApiServer } from '../config/servers.ts'
import type { SettingsInput } from '../config/settings.ts'
import { watchConfig } from '../config/watch.ts'
import type { Service } from '../protocol/service.ts'
import { serveStdio } from '../fronts/stdio.ts'
import { createLog } from '../telemetry/log.ts'
import { loadSettings } from '../config/load.ts'
import { openTelemetry } from './telemetry.ts'
import { type App, createApp } from './app.ts'
import type { CallTally } from './call-tally.ts'
import type { RunningCodeAlone } from './code-alone.ts'
import { addressOf, serveHttp } from './serve.ts'
import type { HttpServer } from '../http/server.ts'
import { untilIdle } from './until-idle.ts'

/** How one server is reached when it runs by itself. */
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
  /** Which built-in this is; an API otherwise, with the budgets and the cache of one. */
  readonly builtin?: BuiltinServer['builtin'] | undefined
  readonly debug?: boolean | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Tells the address once it is served over HTTP. */
  readonly onListening: (url: string) => void
  /** Over stdio: the port of the pages, which are served from the start where one is given, else when asked for. */
  readonly dashboardPort?: number | undefined
  /** Given the way to the address of the pages, which on stdio serves them. */
  readonly onDashboard?: ((open: () => Promise<string | undefined>) => void) | undefined
  /** Counts calls for a service that reports its health. */
  readonly tally?: CallTally | undefined
  /** On stdio: time without a call after which it ends by itself; never when absent. */
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
  const overrides: SettingsInput = { surface: 'direct', debug, ...toListen(options) }
  const only = asServer(service, options.builtin)
  const log = createLog({ level: debug ? 'debug' : 'warn' })
  const settings = loadSettings({ only, env, flags: { overrides } })
  const app = createApp({
    env,
    telemetry: await openTelemetry(settings, env, log),
    watch: (listeners) => watchConfig({ only, env, flags: { overrides } }, listeners),
    log,
    openService: async () => service,
  })
  tally?.follow(app.feed)
  const code =
    options.builtin === 'code'
      ? await (await import('./code-alone.ts')).openCodeAlone(app, env)
      : undefined
  try {
    if (transport.kind === 'stdio') await overStdio(app, options, code)
    else await overHttp(app, options, code)
  } catch (error) {
    await app.close()
    throw error
  } finally {
    await code?.close()
  }
}

async function overStdio(
  app: App,
  options: StandaloneOptions,
  code: RunningCodeAlone | undefined,
): Promise<void> {
  const { env, idleMs, untilStopped } = options
  const pages = code && (await offerPages(app, options, code))
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
  const ends = [front.ended, untilStopped(), untilIdle(app.feed, idleMs)]
  await Promise.race(code ? [...ends, code.stopped] : ends)
  await pages?.close()
  await app.leave(front)
}

/** The pages beside stdio: at once where their port was chosen, else when somebody wants to see them. */
async function offerPages(
  app: App,
  { dashboardPort, onDashboard, onListening }: StandaloneOptions,
  code: RunningCodeAlone,
): Promise<{ close(): Promise<void> }> {
  let serving: Promise<HttpServer> | undefined
  const open = async (): Promise<string | undefined> => {
    serving ??= serveHttp(app, { surface: 'direct', code })
    return pageOf(app, await serving)
  }
  onDashboard?.(open)
  if (dashboardPort !== undefined)
    await open().then(
      (page) => onListening(page ?? ''),
      // Another editor's server has the port: agents are served all the same.
      (error: unknown) =>
        code.log.add('infra', `no dashboard: ${String(error)}`, {}, { level: 'warning' }),
    )
  return { close: async () => (await serving?.catch(() => undefined))?.close() }
}

async function overHttp(
  app: App,
  { builtin, onListening, untilStopped, onDashboard }: StandaloneOptions,
  code: RunningCodeAlone | undefined,
): Promise<void> {
  const tracesAlone = builtin === 'traces'
  const server = await serveHttp(app, { surface: 'direct', code, tracesAlone })
  const { host } = app.config.settings.listen
  onDashboard?.(async () => pageOf(app, server))
  onListening(addressOf(host, server.port))
  await Promise.race(code ? [untilStopped(), code.stopped] : [untilStopped()])
  await app.leave(server)
}

function pageOf({ config }: App, { port }: HttpServer): string {
  return `${addressOf(config.settings.listen.host, port)}/code`
}

function toListen({ transport, builtin, dashboardPort = 0 }: StandaloneOptions): SettingsInput {
  if (transport.kind === 'stdio')
    return builtin === 'code' ? { listen: { host: '127.0.0.1', port: dashboardPort } } : {}
  const { host, port, path } = transport
  return { listen: { host, port, path } }
}

function asServer(
  { info }: Service,
  builtin: BuiltinServer['builtin'] | undefined,
): OpenApiServer | BuiltinServer {
  const common = { enabled: true, protocol: 'auto', session: 'auto', extra: {} } as const
  if (builtin) return { ...common, kind: 'builtin', name: builtin, builtin }
  const name = info.name.replaceAll(/[^\w-]+/g, '-')
  return { ...common, kind: 'openapi', name, openapi: info.name }
}
