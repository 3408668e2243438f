import { messageOf } from '../base/errors.ts'
import { type FailureCode, GatewayError } from '../gateway/errors.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { hide } from '../base/secrets.ts'
import type { Failure } from './contract.ts'

/** An answer other than the one that was asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
  }
}

const STATUS: Readonly<Record<FailureCode, number>> = {
  DENIED_BY_POLICY: 403,
  INVALID_AGENT_ID: 403,
  FALLBACK_AGENT_NOT_IN_RULES: 403,
  NO_FALLBACK_CONFIGURED: 403,
  UNAUTHENTICATED: 401,
  SERVER_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  RESULT_GONE: 404,
  INVALID_PARAMS: 400,
  RATE_LIMITED: 429,
  CANCELLED: 499,
  TIMEOUT: 504,
  SERVER_UNAVAILABLE: 502,
  CIRCUIT_OPEN: 502,
  SERVER_BUSY: 503,
}

export interface Failed {
  readonly status: number
  readonly body: Failure
}

/** Whatever was thrown, as status and body. */
export function toFailed(error: unknown): Failed {
  if (error instanceof Refusal) return failed(error.status, error.code, error.message, error.hint)
  if (error instanceof GatewayError)
    return failed(STATUS[error.code], error.code, error.message, error.details.hint)
  if (error instanceof RpcError) return failed(502, 'UPSTREAM_ERROR', error.message)
  const message = messageOf(error)
  return failed(500, 'INTERNAL_ERROR', message, 'This is a fault of Portolan; its log says more.')
}

function failed(status: number, code: string, message: string, hint?: string): Failed {
  return { status, body: { error: { code, message: hide(message), hint: hint ?? null } } }
}
