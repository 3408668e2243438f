import type { Environment } from '../../base/environment.ts'
import { LIMIT_NAMES } from './adapter/limits-from-env.ts'
import { TRACES_NAMES } from './service/settings.ts'

/**
 * For the commands that stand in for CommonTrace (`traces serve`, `traces mcp`): its own names count
 * there, below ours. Everywhere else they may belong to the user's application.
 */
export function withCommonTraceNames(env: Environment): Environment {
  const theirs: Record<string, string | undefined> = { PORTOLAN_TRACES_URL: env['API_BASE_URL'] }
  for (const name of [...TRACES_NAMES, ...LIMIT_NAMES])
    theirs[`PORTOLAN_TRACES_${name}`] = env[name]
  return { ...theirs, ...env }
}
