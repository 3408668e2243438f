/** An error that the caller can act on; any other error is a fault of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: ApiStatus
  /** Further members of the problem document. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(status: ApiStatus, detail: string, options: ApiErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.status = status
    this.extra = options.extra ?? {}
    this.headers = options.headers ?? {}
  }
}

export type ApiStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 503 | 507

interface ApiErrorOptions {
  readonly extra?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}
