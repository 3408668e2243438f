import type { JsonObject } from '../../../base/json/json.ts'

/** An answer of the API other than the one that was asked for. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
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

/** Failures that tools return as values become HTTP statuses here. */
export function withoutFailure<Body extends JsonObject>(body: Body): Body {
  const { error } = body
  if (typeof error !== 'string') return body
  const message = typeof body['message'] === 'string' ? body['message'] : error
  throw new ApiProblem(STATUS[error] ?? 400, message)
}
