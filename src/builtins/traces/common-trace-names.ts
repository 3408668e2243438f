import type { Environment } from '../../base/environment.ts'
import { variableFor } from '../../base/setting-table.ts'
import type { OriginalName } from '../kit/replaced-system.ts'
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

/**
 * The variables of its MCP server, read only by `traces mcp`, which replaces that: elsewhere they
 * may belong to the user's application.
 */
export const ADAPTER_NAMES: readonly OriginalName[] = [
  ['API_BASE_URL', 'PORTOLAN_TRACES_URL'],
  ['COMMONTRACE_API_BASE_URL', 'PORTOLAN_TRACES_URL'],
  ...['COMMONTRACE_API_KEY', 'MCP_TRANSPORT', 'MCP_HOST', 'MCP_PORT'].map((name): OriginalName => [
    name,
    name,
  ]),
  ...Object.keys(ADAPTER_SETTINGS).map(toName),
]

const { allowedHosts: _, ...THEIRS } = SERVICE_SETTINGS

/** The variables of its service, read only by `traces serve`. */
export const SERVICE_NAMES: readonly OriginalName[] = [
  ...ADAPTER_NAMES,
  ...Object.keys(THEIRS).map(toName),
]

function toName(key: string): OriginalName {
  const ours = variableFor(['traces', key])
  return [ours.slice(variableFor(['traces', '']).length), ours]
}
