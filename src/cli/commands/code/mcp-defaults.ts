import { wrongUsage } from './wrong-usage.ts'
type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_PORT = '3000'
const DEFAULT_IDLE_S = 1_800

/** What the contract of code search says of its server where nothing else is said. */
export function codeMcpDefaults(env: Environment): {
  env: Environment
  idleMs: number | undefined
} {
  const port = env['MCP_PORT'] || env['COCOSEARCH_MCP_PORT'] || DEFAULT_PORT
  return { env: { ...env, MCP_PORT: port }, idleMs: idleMs(env['COCOSEARCH_IDLE_TIMEOUT']) }
}

/** Seconds without a call after which a server on stdio ends by itself; 0 for never. */
function idleMs(text: string | undefined): number | undefined {
  const seconds = text === undefined || text === '' ? DEFAULT_IDLE_S : Number(text)
  if (!(seconds >= 0))
    throw wrongUsage(`COCOSEARCH_IDLE_TIMEOUT must be a number of seconds, not '${text}'`)
  return seconds === 0 ? undefined : seconds * 1_000
}
