import { GatewayError } from '../gateway/errors.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { isObject } from '../base/json.ts'
import { isId } from '../protocol/peer.ts'

export const RETRY_AFTER_MS = 1000

/** What a client is told that comes while we leave. */
export function refusal(): RpcError {
  const error = new GatewayError('SERVER_UNAVAILABLE', 'The gateway is shutting down', {
    hint: 'Nothing was done. Ask again: another replica answers, or this one once it is back.',
    retryAfterMs: RETRY_AFTER_MS,
  })
  return new RpcError(error.rpcCode, error.message, error.toObject())
}

/** Whether a message belongs to something already under way: an answer, a notification, a call that asked. */
export function goesOn(message: unknown): boolean {
  if (Array.isArray(message)) return message.every(goesOn)
  if (!isObject(message)) return false
  const { id, method, params } = message
  if (method === undefined || !isId(id) || method === 'ping') return true
  return isObject(params) && typeof params['requestState'] === 'string'
}
