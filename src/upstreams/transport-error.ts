/** The way to a server failed, as opposed to the server answering with an error. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly status: number | undefined

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status
  }
}
