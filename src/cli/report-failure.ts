import { EnvironmentError } from '../base/environment.ts'
import { ConfigError, describeProblem } from '../config/problem.ts'
import { GatewayError } from '../gateway/errors.ts'
import { SpecError } from '../upstreams/openapi/spec/spec-error.ts'

/** Says on stderr what went wrong and how to go on; a stack only for what nobody expected. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1
  for (const line of describe(error)) process.stderr.write(`ERROR: ${line}\n`)
}

/** Told by name: the classes lie in servers that a command may never load. */
const EXPECTED = new Set([
  'CodeConfigError',
  'InBandError',
  'IndexStoreError',
  'EmbedderError',
  'InvalidArgumentError',
])

function describe(error: unknown): string[] {
  if (error instanceof ConfigError) return error.problems.map(describeProblem)
  if (error instanceof SpecError || error instanceof EnvironmentError) return [error.message]
  if (error instanceof GatewayError) {
    const { hint } = error.details
    return [hint === undefined ? error.message : `${error.message}. ${hint}`]
  }
  if (error instanceof Error && EXPECTED.has(error.name)) return [error.message]
  if (isMissingFile(error)) return [`${error.path} does not exist. Check the path.`]
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
}

function isMissingFile(error: unknown): error is Error & { readonly path: string } {
  return error instanceof Error && 'path' in error && 'code' in error && error.code === 'ENOENT'
}
