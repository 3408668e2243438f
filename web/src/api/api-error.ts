/** An answer of the API that is no success, or no answer at all; `hint` says what to do next. */
export class ApiError extends Error {
  /** The HTTP status; 0 when nothing answered. */
  readonly status: number
  readonly hint: string | undefined

  constructor(status: number, message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ApiError'
    this.status = status
    this.hint = hint
  }
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(0, error instanceof Error ? error.message : String(error), undefined, error)
}
