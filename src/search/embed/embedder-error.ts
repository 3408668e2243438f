/** Why there are no vectors. Each message says what to do next. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError'
  readonly reason:
    | 'unreachable'
    | 'unavailable'
    | 'rate-limited'
    | 'refused'
    | 'bad-answer'
    | 'not-installed'
    | 'mismatch'

  constructor(reason: EmbedderError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
