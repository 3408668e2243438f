import { messageOf } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'
import { MessageTooLarge, RPC, RpcError } from '../protocol/json-rpc.ts'
import { BackingOff } from './connections/line.ts'

/** The connection to a server failed, as opposed to the server answering with an error. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly status: number | undefined

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status
  }
}

/** What a server wrote when it could not start, and what to do about it. */
export interface StartOutput {
  readonly output?: readonly string[]
  readonly nextStep?: string
}

/** Whether a server answered that it will not do what it was asked. */
function isRefusal(error: unknown): boolean {
  return error instanceof TransportError && error.status !== undefined && error.status < 500
}

function tooLarge(server: string, error: MessageTooLarge): GatewayError {
  return new GatewayError('RESULT_TOO_LARGE', `Server '${server}': ${error.message}`, {
    hint: 'Ask for less: fewer rows, fewer fields, or one page at a time.',
    cause: error,
  })
}

/** Converts the error of a failed server to what its callers see. */
export function explainFailure(
  server: string,
  error: unknown,
  { output, nextStep }: StartOutput = {},
): unknown {
  if (error instanceof GatewayError || error instanceof RpcError) return error
  // The pause before the next attempt changes nothing about what the user must do.
  if (error instanceof BackingOff && error.cause instanceof GatewayError) return error.cause
  if (error instanceof MessageTooLarge) return tooLarge(server, error)
  const reason = messageOf(error)
  if (isRefusal(error))
    return new RpcError(RPC.internalError, `Server '${server}': ${reason}`, undefined, {
      cause: error,
    })
  const backingOff = error instanceof BackingOff
  return new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${server}': ${reason}`, {
    hint:
      nextStep ?? 'Try again, use another server, or ask get_gateway_status what is wrong with it.',
    ...(output && { data: { output } }),
    reason: 'server_unavailable',
    retryAfterMs: backingOff ? Math.ceil(error.retryAfterMs) : undefined,
    inconclusive: backingOff,
    cause: error,
  })
}
