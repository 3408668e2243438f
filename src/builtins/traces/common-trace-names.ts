import type { Environment } from '../../base/environment.ts'
import { variableFor } from '../../base/setting-table.ts'
import { ADAPTER_SETTINGS, SERVICE_SETTINGS } from './settings.ts'

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
