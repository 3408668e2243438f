import { visible } from '../base/text/visible.ts'
import { EnvironmentError } from '../base/environment.ts'
import { codeOf, hasCode, messageOf } from '../base/errors.ts'
import { dataFolder } from '../config/paths.ts'
import { ConfigError, describeProblem } from '../config/problem.ts'
import { GatewayError } from '../gateway/errors.ts'
import { SpecError } from '../upstreams/openapi/spec/spec-error.ts'

/** Reports on stderr what happened, why, and what to do next; a stack only to who asks for it. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1
  for (const line of describe(error)) process.stderr.write(`ERROR: ${visible(line)}\n`)
  if (error instanceof ConfigError)
    process.stderr.write('Correct this; `portolan check` shows whether anything else is wrong.\n')
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
  return [describeUnexpected(error)]
}

function describeUnexpected(error: unknown): string {
  const { env, argv } = process
  const wantsStack = env['PORTOLAN_DEBUG'] === 'true' || argv.includes('--debug')
  if (wantsStack && error instanceof Error && error.stack !== undefined) return error.stack
  return `${messageOf(error)}
Portolan has no advice for this error, which is probably a defect of Portolan.
Repeat the command with PORTOLAN_DEBUG=true to see where it happened, and report both.`
}

const FREE_SPACE =
  'The disk is full: free some space, or choose another data folder with PORTOLAN_HOME, then run the command again.'

/** Whether this error, or one that caused it, says that nothing more can be written. */
function isDiskFull(error: unknown): boolean {
  const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']
  if (codes.some((code) => hasCode(error, code))) return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}

/** Describes an error of the operating system or of the embedded database. */
function describeSystemError(error: unknown): string | undefined {
  if (hasCode(error, 'ENOENT') && isAboutFile(error))
    return `${error.path} does not exist. Check the path.`
  if (isAboutFile(error))
    return `${error.message}. Check the path, and who may read and write there.`
  if (isAboutListening(error)) return describeListening(error)
  if (codeOf(error)?.startsWith('SQLITE_')) return describeEmbedded(error)
  const refused = refusedConnection(error)
  return refused && `${refused}. Start the service there, or correct its address.`
}

function describeListening({ code, message, address, port }: ListenError): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use on ${address}. Stop the program that uses it, or choose another port with --port (0 takes any free one).`
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${address}, so nothing can listen there. Choose one that it has with --host, such as 127.0.0.1.`
  return `${message}. Choose another port with --port (those below 1024 are for administrators), or another address with --host.`
}

function describeEmbedded(error: unknown): string {
  const file = `The database portolan.db in ${dataFolder({ cwd: process.cwd(), env: process.env })}`
  return /NOTADB|CORRUPT/.test(codeOf(error) ?? '')
    ? `${file} is damaged: ${messageOf(error)}. Move it away to begin with an empty one, or to \`portolan restore\` a backup.`
    : `${file} cannot be used: ${messageOf(error)}. Check who may read and write there, and that no other program holds it.`
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

interface ListenError extends Error {
  readonly code: string
  readonly address: string
  readonly port: number
}

function isAboutListening(error: unknown): error is ListenError {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}
