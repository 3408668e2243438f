import { messageOf } from '../base/errors.ts'
import { type FailureCode, GatewayError } from '../gateway/errors.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { hide } from '../base/secrets/secrets.ts'

/** A failure with an HTTP status of its own. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
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
  APPROVAL_PENDING: 403,
  DENIED_BY_POLICY: 403,
  INVALID_AGENT_ID: 403,
  FALLBACK_AGENT_NOT_IN_RULES: 403,
  NO_FALLBACK_CONFIGURED: 403,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  SERVER_NOT_FOUND: 404,
  TOOL_NOT_FOUND: 404,
  RESULT_TOO_LARGE: 502,
  RESULT_GONE: 404,
  INVALID_PARAMS: 400,
  SCRIPT_FAILED: 422,
  NOT_RECORDED: 404,
  RATE_LIMITED: 429,
  CANCELLED: 499,
  TIMEOUT: 504,
  SERVER_UNAVAILABLE: 502,
  CIRCUIT_OPEN: 502,
  SERVER_BUSY: 503,
  SIGN_IN_REQUIRED: 503,
}

export interface HttpFailure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly error: {
      readonly code: string
      readonly message: string
      readonly hint: string | null
    }
  }
}

/** Converts any thrown error to an HTTP answer. */
export function toHttpFailure(error: unknown): HttpFailure {
  if (error instanceof HttpError)
    return failure(error.status, error.code, error.message, error.hint)
  if (error instanceof GatewayError)
    return failure(STATUS[error.code], error.code, error.message, error.details.hint)
  if (error instanceof RpcError) return failure(502, 'UPSTREAM_ERROR', error.message)
  const message = messageOf(error)
  return failure(500, 'INTERNAL_ERROR', message, 'This is a fault of Portolan; its log says more.')
}

function failure(status: number, code: string, message: string, hint?: string): HttpFailure {
  return {
    status,
    headers: status === 401 ? { 'www-authenticate': 'Bearer realm="portolan"' } : {},
    body: { error: { code, message: hide(message), hint: hint ?? null } },
  }
}
