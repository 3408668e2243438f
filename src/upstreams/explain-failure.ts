import { messageOf } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { BackingOff } from './line.ts'
import { TransportError } from './transport-error.ts'

/** What went wrong with a server, as its callers are told. */
export function explainFailure(server: string, error: unknown): unknown {
  if (error instanceof GatewayError || error instanceof RpcError) return error
  const reason = messageOf(error)
  if (error instanceof TransportError && error.status !== undefined && error.status < 500)
    return new RpcError(RPC.internalError, `Server '${server}': ${reason}`, undefined, {
      cause: error,
    })
  const backingOff = error instanceof BackingOff
  return new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${server}': ${reason}`, {
    hint: 'Try again, use another server, or ask get_gateway_status what is wrong with it.',
    reason: 'server_unavailable',
    retryAfterMs: backingOff ? Math.ceil(error.retryAfterMs) : undefined,
    inconclusive: backingOff,
    cause: error,
  })
}
