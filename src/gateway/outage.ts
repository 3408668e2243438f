import { RpcError } from '../protocol/json-rpc.ts'
import { GatewayError } from './errors.ts'

/** What a failed call says about its server. */
export type Verdict = 'outage' | 'answer' | 'none'

/**
 * Timeouts, transport errors and 5xx say that a server is in trouble. An error it answers with, a
 * 4xx among them, says that it is there. A caller who left, or whom we sent away, says nothing.
 */
export function verdictOf(error: unknown): Verdict {
  const status = statusOf(error)
  if (status !== undefined) return status >= 500 ? 'outage' : 'answer'
  if (error instanceof RpcError) return 'answer'
  if (error instanceof GatewayError) {
    if (error.code === 'TIMEOUT' || error.code === 'SERVER_UNAVAILABLE') return 'outage'
    return error.code === 'CANCELLED' || error.code === 'SERVER_BUSY' ? 'none' : 'answer'
  }
  return error instanceof Error && error.name === 'AbortError' ? 'none' : 'outage'
}

const DEEPEST_CAUSE = 5

/** The HTTP status that an error or one of its causes carries. */
function statusOf(error: unknown): number | undefined {
  let current = error
  for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth++) {
    if ('status' in current && typeof current.status === 'number') return current.status
    current = current.cause
  }
  return undefined
}
