import { messageOf } from '../../base/errors.ts'
/** The result of one check. */
export interface Finding {
  readonly area: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** The server's output, line by line. */
  readonly details?: readonly string[] | undefined
  /** What to do about it. */
  readonly fix?: string | undefined
}

export function findings(area: string) {
  return {
    ok: (message: string): Finding => ({ area, status: 'ok', message }),
    warn: (message: string, fix?: string): Finding => ({ area, status: 'warn', message, fix }),
    fail: (message: string, fix?: string): Finding => ({ area, status: 'fail', message, fix }),
  }
}

/** Returns the message of an error, without a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return messageOf(error)
}
