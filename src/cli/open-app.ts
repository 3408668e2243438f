import { type App, createApp } from '../app/app.ts'
import { CallTally } from '../app/call-tally.ts'
import { openService } from '../app/open-service.ts'
import { openShared } from '../app/shared.ts'
import { openTelemetry } from '../app/telemetry.ts'
import { type LoadOptions, loadSettings } from '../config/load.ts'
import { watchConfig } from '../config/watch.ts'
import { createLog } from '../telemetry/log.ts'

export interface LogFlags {
  readonly debug?: boolean
  readonly logFormat?: 'text' | 'json'
}

export async function openApp(load: LoadOptions, flags: LogFlags): Promise<App> {
  const log = createLog({
    level: flags.debug ? 'debug' : 'info',
    ...(flags.logFormat && { format: flags.logFormat }),
  })
  const env = load.env ?? process.env
  const telemetry = await openTelemetry(loadSettings(load), env, log)
  const shared = await openShared(env)
  const tally = new CallTally()
  const app = createApp({
    ...load,
    log,
    shared,
    telemetry,
    openService: async (server, settings) => openService(server, settings, tally),
    watch: (listeners) => watchConfig(load, listeners),
  })
  tally.follow(app.feed)
  // A mistake of ours in one call must not end the calls of everybody else.
  process.on('unhandledRejection', (error) => {
    log.error('unexpected', { error: error instanceof Error ? error.stack : String(error) })
  })
  return app
}
