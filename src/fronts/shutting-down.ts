import { GatewayError } from '../gateway/errors.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { isObject } from '../base/json/json.ts'
import { isId } from '../protocol/peer.ts'

export const RETRY_AFTER_MS = 1000

/** The answer to new requests while the gateway shuts down. */
export function toShutdownError(): RpcError {
  const error = new GatewayError('SERVER_UNAVAILABLE', 'The gateway is shutting down', {
    hint: 'Nothing was done. Ask again: another replica answers, or this one once it is back.',
    retryAfterMs: RETRY_AFTER_MS,
  })
  return new RpcError(error.rpcCode, error.message, error.toObject())
}

/** Whether a message belongs to work in flight: an answer, a notification, or a call that asked. */
export function isContinuation(message: unknown): boolean {
  if (Array.isArray(message)) return message.every(isContinuation)
  if (!isObject(message)) return false
  const { id, method, params } = message
  if (method === undefined || !isId(id) || method === 'ping') return true
  return isObject(params) && typeof params['requestState'] === 'string'
}
