import { messageOf } from '../../../base/errors.ts'
/**
 * `unreachable` and `timeout` mean that the API is not there; `refused` means that the call may not
 * be made; `too-large` and `not-json` mean that the answer cannot be used.
 */
export type HttpFailureKind = 'unreachable' | 'timeout' | 'refused' | 'too-large' | 'not-json'

/** Why no usable answer came from an API. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly kind: HttpFailureKind

  constructor(kind: HttpFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }

  static from(error: unknown, at: { url: URL; timedOut: boolean; timeoutMs: number }): HttpFailure {
    const inner = deepest(error)
    if (inner instanceof HttpFailure) return inner
    if (at.timedOut) {
      const message = `${at.url.host} did not answer within ${at.timeoutMs} ms`
      return new HttpFailure('timeout', message, { cause: error })
    }
    const reason = messageOf(inner)
    return new HttpFailure('unreachable', `${at.url.host} cannot be reached: ${reason}`, {
      cause: error,
    })
  }
}

function deepest(error: unknown): unknown {
  let current = error
  for (let depth = 0; depth < 5; depth++) {
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0]
    else if (current instanceof Error && current.cause !== undefined) current = current.cause
    else break
  }
  return current
}
