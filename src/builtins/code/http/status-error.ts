import type { JsonObject } from '../../../base/json/json.ts'

/** An error response of the API, with its HTTP status. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

const STATUS: Readonly<Record<string, number>> = {
  'Index not found': 404,
  'File not found': 404,
  'Path not allowed': 403,
  'Index name collision': 409,
}

/** Turns a failure that a tool returned as a value into an HTTP error. */
export function withoutFailure<Body extends JsonObject>(body: Body): Body {
  const { error } = body
  if (typeof error !== 'string') return body
  const message = typeof body['message'] === 'string' ? body['message'] : error
  throw new StatusError(STATUS[error] ?? 400, message)
}
