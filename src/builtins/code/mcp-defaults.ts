import { type Environment, EnvironmentError } from '../../base/environment.ts'
import type { StandaloneDefaults } from '../kit/define-builtin.ts'

const DEFAULT_PORT = '3000'
const DEFAULT_IDLE_S = 1_800

/** Returns the defaults of the code search contract, where the environment sets nothing. */
export function codeMcpDefaults(env: Environment): StandaloneDefaults {
  const port = env['MCP_PORT'] || env['PORTOLAN_CODE_MCP_PORT'] || DEFAULT_PORT
  return {
    env: { ...env, MCP_PORT: port },
    idleMs: idleMs(env['PORTOLAN_CODE_IDLE_TIMEOUT']),
    dashboardPort: dashboardPort(env),
  }
}

/** Parses the idle seconds after which a stdio server ends, into ms; undefined for never. */
function idleMs(text: string | undefined): number | undefined {
  const seconds = text === undefined || text === '' ? DEFAULT_IDLE_S : Number(text)
  if (!(seconds >= 0))
    throw new EnvironmentError(
      `PORTOLAN_CODE_IDLE_TIMEOUT must be a number of seconds, not '${text}'`,
    )
  return seconds === 0 ? undefined : seconds * 1_000
}

export function isDashboardDisabled(env: Environment): boolean {
  return /^(?:1|true|yes)$/i.test(env['PORTOLAN_CODE_NO_DASHBOARD'] ?? '')
}

/**
 * Returns the port on which a stdio server serves its pages from the start: false for no pages,
 * undefined for pages on demand.
 */
function dashboardPort(env: Environment): number | false | undefined {
  if (isDashboardDisabled(env)) return false
  const text = env['PORTOLAN_CODE_DASHBOARD_PORT']
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new EnvironmentError(`PORTOLAN_CODE_DASHBOARD_PORT must be a port, not '${text}'`)
}
