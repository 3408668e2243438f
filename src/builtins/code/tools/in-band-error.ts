export type InBandBody = {
  readonly error: string
  readonly message: string
}

/** A failure that the contract returns as a value: `error`, `message` and helpful details. */
export class InBandError extends Error {
  override readonly name = 'InBandError'
  readonly error: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    error: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, { cause })
    this.error = error
    this.details = details
  }

  toBody(): InBandBody {
    return { error: this.error, message: this.message, ...this.details }
  }
}
