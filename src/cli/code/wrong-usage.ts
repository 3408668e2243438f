import { GatewayError } from '../../gateway/errors.ts'

/** A mistake that the user can fix; reported without a stack. */
export function wrongUsage(message: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_PARAMS', message, { cause })
}
