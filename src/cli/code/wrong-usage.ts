import { GatewayError } from '../../gateway/errors.ts'

/** What the person at the shell can mend: told without a stack. */
export function wrongUsage(message: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_PARAMS', message, { cause })
}
