import type { Environment } from '../../base/environment.ts'
import { variableFor } from '../../base/setting-table.ts'
import { ADAPTER_SETTINGS, SERVICE_SETTINGS } from './settings.ts'

const { allowedHosts: _, ...THEIRS } = { ...SERVICE_SETTINGS, ...ADAPTER_SETTINGS }
const PREFIX = variableFor(['traces', ''])

/**
 * For the commands that stand in for CommonTrace (`traces serve`, `traces mcp`): its own names count
 * there, below ours. Everywhere else they may belong to the user's application.
 */
export function withCommonTraceNames(env: Environment): Environment {
  const theirs: Record<string, string | undefined> = { PORTOLAN_TRACES_URL: env['API_BASE_URL'] }
  for (const key of Object.keys(THEIRS)) {
    const ours = variableFor(['traces', key])
    theirs[ours] = env[ours.slice(PREFIX.length)]
  }
  return { ...theirs, ...env }
}
