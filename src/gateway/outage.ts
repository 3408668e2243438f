import { RpcError } from '../protocol/json-rpc.ts'
import { type FailureCode, GatewayError } from './errors.ts'

/** What a failed call says about its server. */
export type Verdict = 'outage' | 'answer' | 'none'

/**
 * Timeouts, transport errors and 5xx say that a server fails. An error that it answers with, such
 * as a 4xx, says that it works. A cancelled call and a failure inside the gateway say nothing.
 */
export function verdictOf(error: unknown): Verdict {
  if (isCancelled(error)) return 'none'
  if (!isUnanswered(error)) return 'answer'
  return error instanceof GatewayError && error.details.inconclusive ? 'none' : 'outage'
}

const NO_ANSWER: ReadonlySet<FailureCode> = new Set([
  'TIMEOUT',
  'SERVER_UNAVAILABLE',
  'SERVER_BUSY',
])

/** Whether a call failed because its server did not answer, for whatever reason. */
export function isUnanswered(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status >= 500
  if (error instanceof RpcError) return false
  if (error instanceof GatewayError) return NO_ANSWER.has(error.code)
  return !isCancelled(error)
}

function isCancelled(error: unknown): boolean {
  if (error instanceof GatewayError) return error.code === 'CANCELLED'
  return error instanceof Error && error.name === 'AbortError'
}

const MAX_CAUSE_DEPTH = 5

/** The HTTP status that an error or one of its causes carries. */
function statusOf(error: unknown): number | undefined {
  let current = error
  for (let depth = 0; depth < MAX_CAUSE_DEPTH && current instanceof Error; depth++) {
    if ('status' in current && typeof current.status === 'number') return current.status
    current = current.cause
  }
  return undefined
}
