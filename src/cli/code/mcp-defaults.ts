import { wrongUsage } from './wrong-usage.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CodeMcpDefaults {
  readonly env: Environment
  readonly idleMs: number | undefined
  readonly dashboardPort: number | false | undefined
}

const DEFAULT_PORT = '3000'
const DEFAULT_IDLE_S = 1_800

/** What the contract of code search says of its server where nothing else is said. */
export function codeMcpDefaults(env: Environment): CodeMcpDefaults {
  const port = env['MCP_PORT'] || env['COCOSEARCH_MCP_PORT'] || DEFAULT_PORT
  return {
    env: { ...env, MCP_PORT: port },
    idleMs: idleMs(env['COCOSEARCH_IDLE_TIMEOUT']),
    dashboardPort: dashboardPort(env),
  }
}

/** Seconds without a call after which a server on stdio ends by itself; 0 for never. */
function idleMs(text: string | undefined): number | undefined {
  const seconds = text === undefined || text === '' ? DEFAULT_IDLE_S : Number(text)
  if (!(seconds >= 0))
    throw wrongUsage(`COCOSEARCH_IDLE_TIMEOUT must be a number of seconds, not '${text}'`)
  return seconds === 0 ? undefined : seconds * 1_000
}

/** Where a server on stdio serves its pages from the start; without one, when they are asked for. */
function dashboardPort(env: Environment): number | false | undefined {
  if (/^(?:1|true|yes)$/i.test(env['COCOSEARCH_NO_DASHBOARD'] ?? '')) return false
  const text = env['COCOSEARCH_DASHBOARD_PORT']
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw wrongUsage(`COCOSEARCH_DASHBOARD_PORT must be a port, not '${text}'`)
}
