import type { Environment } from '../../base/environment.ts'
import { variableFor } from '../../base/setting-table.ts'
import { ADAPTER_SETTINGS, SERVICE_SETTINGS } from './settings.ts'

/**
 * The names of CommonTrace, which traces replace: its clients, scripts and dashboards know them.
 * Two more are in the manifest and the settings, which import nothing.
 */

export const SERVER_NAME = 'CommonTrace'
export const METRICS = 'commontrace'

/** Returns the URL of another installation's traces service; undefined for the embedded one. */
export function tracesUrl(env: Environment): string | undefined {
  return env['PORTOLAN_TRACES_URL'] || env['COMMONTRACE_API_BASE_URL'] || undefined
}

export function tracesKey(env: Environment): string | undefined {
  return env['COMMONTRACE_API_KEY'] || undefined
}

/** The variable that overrides a setting of the hooks. */
export const MOVE_ON_VARIABLE = 'CT_AUTO_CONTRIBUTE_ON_MOVE_ON'

/** Links to a page on the public site, to the API of a private service, or else to a URN. */
export function linkToTrace(env: Environment, id: string): string {
  const base = tracesUrl(env)
  if (!base) return `urn:uuid:${id}`
  const { origin, hostname } = new URL(base)
  return hostname.endsWith('commontrace.org')
    ? `https://commontrace.org/t/${id}`
    : `${origin}/api/v1/traces/${id}`
}

const { allowedHosts: _, ...THEIRS } = { ...SERVICE_SETTINGS, ...ADAPTER_SETTINGS }
const PREFIX = variableFor(['traces', ''])

/**
 * Adds CommonTrace's own variable names, with lower priority than Portolan's, for the commands that
 * replace it (`traces serve`, `traces mcp`). Elsewhere they may belong to the user's application.
 */
export function withCommonTraceNames(env: Environment): Environment {
  const theirs: Record<string, string | undefined> = { PORTOLAN_TRACES_URL: env['API_BASE_URL'] }
  for (const key of Object.keys(THEIRS)) {
    const ours = variableFor(['traces', key])
    theirs[ours] = env[ours.slice(PREFIX.length)]
  }
  return { ...theirs, ...env }
}
