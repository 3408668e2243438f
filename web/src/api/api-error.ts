/** A failed or missing answer of the API; `hint` says what to do next. */
export class ApiError extends Error {
  /** The HTTP status; 0 if there was no answer. */
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
