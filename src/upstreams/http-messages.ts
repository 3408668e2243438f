import type { IncomingMessage } from 'node:http'
import type { Client } from '../gateway/call.ts'
import { type JsonObject, RPC, type RequestId, RpcError, isObject } from '../protocol/json-rpc.ts'
import { fromFailure } from '../protocol/peer.ts'
import { rememberRaw } from '../protocol/raw-text.ts'
import { metaOf } from '../protocol/versions.ts'
import { type Greeting, envelope } from './handshake.ts'
import { encodeHeader } from '../protocol/param-headers.ts'
import { TransportError } from './transport-error.ts'

/** The params as they go out: our progress token, and in the modern era who asks. */
export function dress(
  params: JsonObject,
  client: Client | undefined,
  era: Greeting['era'],
  id: RequestId,
): JsonObject {
  const meta = metaOf(params)
  const wantsProgress = meta['progressToken'] !== undefined
  if (era === 'legacy' && !wantsProgress) return params
  return {
    ...params,
    _meta: {
      ...meta,
      ...(wantsProgress && { progressToken: id }),
      ...(era === 'modern' && envelope(client)),
    },
  }
}

/** The headers that repeat parts of the body, for whoever routes without reading it. */
export function mirror(message: JsonObject): Record<string, string> {
  const method = String(message['method'])
  const params = isObject(message['params']) ? message['params'] : {}
  const name = method === 'resources/read' ? params['uri'] : params['name']
  const named = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read'
  return {
    'mcp-method': method,
    ...(named && typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  }
}

export function settle(message: JsonObject, text: string): JsonObject {
  if (isObject(message['error'])) throw fromFailure(message['error'])
  const { result } = message
  if (!isObject(result)) throw new RpcError(RPC.internalError, 'Empty answer')
  rememberRaw(message, text)
  return result
}

export function refusal(response: IncomingMessage, text: string): Error {
  const status = response.statusCode ?? 0
  const excerpt = text
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .trim()
    .slice(0, 200)
  const message = `it answered HTTP ${status}${excerpt ? `: ${excerpt}` : ''}`
  return new TransportError(message, { status })
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
