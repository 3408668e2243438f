import type { App } from '../../app/app.ts'
import type { TapeRun } from '../../app/tapes/tape-run.ts'
import type { SurfaceName } from '../../gateway/request.ts'
import { createLog } from '../../telemetry/log.ts'
import type { ConfigOptions } from '../shared/config-options.ts'
import { keepServing } from '../shared/serve/keep-serving.ts'

export interface ServeFlags extends ConfigOptions {
  readonly port?: number
  readonly host?: string
  readonly surface?: SurfaceName | undefined
  readonly toolset?: string | undefined
  readonly alone?: true
  readonly debug?: true
  readonly logFormat?: 'text' | 'json'
}

/** Refuses to serve a toolset that is not configured. */
export async function mustHave({ world }: App, toolset: string | undefined): Promise<void> {
  const problem = toolset === undefined ? undefined : world.toolsetProblem(toolset)
  if (problem) throw problem
}

/** Keeps the process alive after an unhandled error; only a blocked event loop ends it. */
export async function stayAlive(
  app: App,
  { debug, logFormat: format = 'text' }: Pick<ServeFlags, 'debug' | 'logFormat'>,
): Promise<void> {
  const log = createLog({ format, level: debug ? 'debug' : 'info' })
  keepServing(log)
  const { startWatchdog } = await import('../../app/health/watchdog.ts')
  startWatchdog({ ...app.config.settings.watchdog, format }, log)
}

/** Prints what is wrong with a tape, and returns the exit code. */
export function reportTape(tape: TapeRun | undefined): number {
  const problems = tape?.problems() ?? []
  for (const problem of problems) process.stderr.write(`ERROR: ${problem}\n`)
  return problems.length > 0 ? 1 : 0
}
