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
import { addressOf, serveHttp } from './serve.ts'
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
  const overrides: SettingsInput = { surface: 'direct', debug, ...toListen(transport) }
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
  try {
    if (transport.kind === 'stdio') await overStdio(app, options)
    else await overHttp(app, options)
  } catch (error) {
    await app.close()
    throw error
  }
}

async function overStdio(app: App, options: StandaloneOptions): Promise<void> {
  const { env, idleMs, untilStopped } = options
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
  await app.leave(front)
}

async function overHttp(
  app: App,
  { onListening, untilStopped }: Pick<StandaloneOptions, 'onListening' | 'untilStopped'>,
): Promise<void> {
  const server = await serveHttp(app, { surface: 'direct' })
  const { host } = app.config.settings.listen
  onListening(addressOf(host, server.port))
  await untilStopped()
  await app.leave(server)
}

function toListen(transport: StandaloneTransport): SettingsInput {
  if (transport.kind === 'stdio') return {}
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
