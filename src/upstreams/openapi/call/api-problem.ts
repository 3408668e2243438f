import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { HttpFailureKind } from '../http/http-failure.ts'

/** `invalid`: the arguments cannot be sent. `status`: the API answered with an error. */
export type ApiProblemKind = 'invalid' | 'status' | HttpFailureKind

export interface ApiProblemDetails {
  readonly tool: string
  readonly server: string
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** The error body of the API, shortened and without secrets. */
  readonly upstream?: unknown
  readonly problems?: readonly JsonObject[] | undefined
  readonly arguments?: JsonObject | undefined
  readonly cause?: unknown
}

/** A failed call of an API, with all that an agent needs to correct it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly kind: ApiProblemKind
  readonly details: ApiProblemDetails

  constructor(kind: ApiProblemKind, message: string, details: ApiProblemDetails) {
    super(message, { cause: details.cause })
    this.kind = kind
    this.details = details
  }

  /** Whether the API is unreachable or broken, which opens a circuit, unlike a plain refusal. */
  get isOutage(): boolean {
    if (this.kind === 'status') return (this.details.status ?? 0) >= 500
    return this.kind === 'unreachable' || this.kind === 'timeout' || this.kind === 'not-json'
  }

  get retryable(): boolean {
    return this.isOutage || this.details.status === 429
  }

  get hint(): string {
    if (this.kind === 'status') return statusHint(this.details.status ?? 0)
    return HINTS[this.kind]
  }

  toObject(): JsonObject {
    const { server, tool, status, retryAfterMs, upstream, problems } = this.details
    return {
      code: this.kind === 'status' ? `HTTP_${status}` : CODES[this.kind],
      message: this.message,
      hint: this.hint,
      retryable: this.retryable,
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      where: { server, tool, ...(status !== undefined && { http_status: status }) },
      ...(problems && { problems }),
      ...(upstream !== undefined && { upstream }),
    }
  }
}

/** Returns the problem that an error of a pack's code is; `undefined` for a defect. */
export function toApiProblem(
  error: unknown,
  where: Pick<ApiProblemDetails, 'tool' | 'server'>,
): ApiProblem | undefined {
  if (error instanceof ApiProblem) return error
  if (!(error instanceof Error) || !('kind' in error && 'details' in error)) return undefined
  const { kind, details } = error
  if (!isKind(kind) || !isObject(details)) return undefined
  return new ApiProblem(kind, error.message, { ...where, ...details, cause: error })
}

function isKind(kind: unknown): kind is ApiProblemKind {
  return kind === 'status' || (typeof kind === 'string' && Object.hasOwn(CODES, kind))
}

const CODES = {
  invalid: 'INVALID_PARAMS',
  unreachable: 'SERVER_UNAVAILABLE',
  timeout: 'TIMEOUT',
  refused: 'REFUSED',
  'too-large': 'RESPONSE_TOO_LARGE',
  'not-json': 'SERVER_UNAVAILABLE',
} as const

const HINTS = {
  invalid: 'Correct the arguments and call again.',
  unreachable: 'Try again later, or ask the owner of the gateway whether the host is right.',
  timeout: 'Try again later, or ask for less at once.',
  refused: 'Ask the owner of the gateway to allow it in the configuration of this API.',
  'too-large': 'Ask for less: a smaller page, fewer fields or a filter.',
  'not-json': 'The address may not be the API itself; ask the owner of the gateway.',
} as const

function statusHint(status: number): string {
  if (status === 401 || status === 403) {
    return 'The credentials configured for this API do not allow it; ask the owner of the gateway.'
  }
  if (status === 404) return 'Check the identifiers; list or search first to find valid ones.'
  if (status === 429) return 'Wait, then call again.'
  if (status >= 500) return 'The API failed on its side; try again later.'
  return 'Correct the arguments as the API says, then call again.'
}
