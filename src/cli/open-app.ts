import { type App, createApp } from '../app/app.ts'
import { CallTally } from '../app/call-tally.ts'
import { openService } from '../app/open-service.ts'
import { openShared } from '../app/shared.ts'
import { storedConfig } from '../app/stored-config.ts'
import { openTelemetry } from '../app/telemetry.ts'
import { type LoadOptions, loadSettings } from '../config/load.ts'
import { watchConfig } from '../config/watch.ts'
import { createLog } from '../telemetry/log.ts'

export interface LogFlags {
  readonly debug?: boolean
  readonly logFormat?: 'text' | 'json'
  /** For commands that answer once and say nothing else. */
  readonly level?: 'error'
}

export async function openApp(load: LoadOptions, flags: LogFlags): Promise<App> {
  const log = createLog({
    level: flags.level ?? (flags.debug ? 'debug' : 'info'),
    ...(flags.logFormat && { format: flags.logFormat }),
  })
  const env = load.env ?? process.env
  const shared = await openShared(env)
  const [stored, telemetry] = await prepare().catch(async (error: unknown) => {
    await shared.close()
    throw error
  })
  async function prepare() {
    const config = await storedConfig(shared, env)
    const settings = loadSettings({ ...load, stored: config })
    return [config, await openTelemetry(settings, env, log)] as const
  }
  const tally = new CallTally()
  const app: App = createApp({
    ...load,
    log,
    shared,
    telemetry,
    openService: async (server, settings) =>
      openService(server, settings, {
        tally,
        storage: shared.storage,
        redis: shared.redis,
        dashboardUrl: () => app.dashboardUrl,
      }),
    watch: (listeners) => watchConfig({ ...load, stored }, listeners),
  })
  tally.follow(app.feed)
  // A mistake of ours in one call must not end the calls of everybody else.
  process.on('unhandledRejection', (error) => {
    log.error('unexpected', { error: error instanceof Error ? error.stack : String(error) })
  })
  return app
}
