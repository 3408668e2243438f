import { findBuiltin } from '../../../builtins/find-builtin.ts'
import type { BuiltinName } from '../../../builtins/index.ts'
import type { DescribedOptions } from '../../../builtins/kit/define-builtin.ts'
import type { StandaloneTransport } from '../../../app/builtins/serve-standalone.ts'
import { createLog } from '../../../telemetry/log.ts'
import type { Environment } from '../../../base/environment.ts'
import { keepServing } from './keep-serving.ts'
import { websocketAt, withoutTransport } from './choose-transport.ts'

export interface ServeBuiltinOptions {
  readonly transport: StandaloneTransport
  readonly env: Environment
  readonly debug?: boolean | undefined
  readonly idleMs?: number | undefined
  /** Over stdio: the port that serves the pages from the start; `false` serves none. */
  readonly dashboardPort?: number | false | undefined
  readonly onListening?: (url: string) => void
  /** Lines about what was taken over from the original, written at the start. */
  readonly notes?: readonly string[]
}

/** Serves a built-in without a gateway until a signal stops it, then ends the process. */
export async function serveBuiltin(
  builtin: BuiltinName,
  { dashboardPort, notes = [], ...options }: ServeBuiltinOptions,
): Promise<void> {
  const [{ builtinOptionsFrom, openBuiltin }, { serveStandalone }, { untilStopped }] =
    await Promise.all([
      import('../../../app/builtins/builtin-context.ts'),
      import('../../../app/builtins/serve-standalone.ts'),
      import('./until-stopped.ts'),
    ])
  const given = withoutTransport(options.env)
  const { standalone } = findBuiltin(builtin)
  const settings = builtinOptionsFrom(builtin, given)
  const env = standalone?.replaces?.withDefaults?.(settings.env) ?? settings.env
  const from = { ...settings, env }
  for (const line of [...describe(builtin, from), ...notes])
    process.stderr.write(`portolan ${builtin}: ${line}\n`)
  let dashboard: (() => Promise<string | undefined>) | undefined
  const service = await openBuiltin(builtin, {
    ...from,
    dashboardUrl: async () => dashboard?.(),
    warn: (problem) => createLog().warn(problem),
  })
  await serveStandalone(service, {
    onListening: (url) =>
      process.stderr.write(`portolan listening on ${url}${websocketAt(options.transport, url)}\n`),
    ...options,
    builtin,
    env,
    ...(dashboardPort !== false && {
      dashboardPort,
      onDashboard: (open) => {
        dashboard = open
      },
    }),
    untilStopped: async () => {
      keepServing(createLog())
      await untilStopped(async () => undefined)
    },
  })
  process.exit(0)
}

function describe(builtin: BuiltinName, options: DescribedOptions): string[] {
  const described = findBuiltin(builtin).standalone?.describe?.(options)
  return described === undefined ? [] : [described]
}
