import { visible } from '../base/text/visible.ts'
import { EnvironmentError } from '../base/environment.ts'
import { hasCode, messageOf } from '../base/errors.ts'
import { ConfigError, describeProblem } from '../config/problem.ts'
import { GatewayError } from '../gateway/errors.ts'
import { SpecError } from '../upstreams/openapi/spec/spec-error.ts'

/** Reports an error and what to do next on stderr; with a stack only if it is unexpected. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1
  for (const line of describe(error)) process.stderr.write(`ERROR: ${visible(line)}\n`)
}

/** Recognised by name, as a command may never load the modules of these classes. */
const EXPECTED = new Set([
  'CodeConfigError',
  'InBandError',
  'IndexStoreError',
  'EmbedderError',
  'InvalidArgumentError',
  'RpcError',
  'StorageError',
])

function describe(error: unknown): string[] {
  if (error instanceof ConfigError) return error.problems.map(describeProblem)
  if (error instanceof SpecError || error instanceof EnvironmentError) return [error.message]
  if (error instanceof GatewayError) {
    const { hint } = error.details
    return [hint === undefined ? error.message : `${error.message}. ${hint}`]
  }
  if (error instanceof Error && EXPECTED.has(error.name)) return [error.message]
  if (isDiskFull(error)) return [`${messageOf(error)}. ${FREE_SPACE}`]
  const outside = describeSystemError(error)
  if (outside !== undefined) return [outside]
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
}

const FREE_SPACE =
  'The disk is full: free some space, or choose another data folder with PORTOLAN_HOME, then run the command again.'

/** Whether this error, or one that caused it, says that nothing more can be written. */
function isDiskFull(error: unknown): boolean {
  const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']
  if (codes.some((code) => hasCode(error, code))) return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}

/** Describes an error of the operating system. */
function describeSystemError(error: unknown): string | undefined {
  if (hasCode(error, 'ENOENT') && isAboutFile(error))
    return `${error.path} does not exist. Check the path.`
  if (isAboutFile(error)) return `${error.message}. Check the path, and who may write there.`
  if (isPortInUse(error))
    return `Port ${error.port} is in use on ${error.address}. Stop the program that uses it, or choose another port with --port (0 takes any free one).`
  const refused = refusedConnection(error)
  return (
    refused &&
    `${refused}. Start the service there, or correct its address, such as PORTOLAN_DATABASE_URL or PORTOLAN_REDIS_URL.`
  )
}

/** Reports the first failure if a name has several addresses and none could be reached. */
function refusedConnection(error: unknown): string | undefined {
  if (error instanceof AggregateError) return refusedConnection(error.errors[0])
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  const isRefused = error.syscall === 'connect' || error.syscall === 'getaddrinfo'
  return isRefused ? `Cannot connect: ${error.message}` : undefined
}

/** Whether the error is about a file or folder: missing, in the way, or without permission. */
function isAboutFile(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

function isPortInUse(
  error: unknown,
): error is Error & { readonly address: string; readonly port: number } {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'EADDRINUSE' &&
    'address' in error &&
    'port' in error
  )
}
