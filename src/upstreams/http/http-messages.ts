import type { Client } from '../../gateway/call.ts'
import { MessageTooLarge, RPC, type RequestId, RpcError } from '../../protocol/json-rpc.ts'
import { TooManyValues } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { retryAfterMs } from '../../base/net/retry-after.ts'
import { fromFailure } from '../../protocol/peer.ts'
import { carriedBy } from '../../protocol/trace-context.ts'
import { parseMessage } from '../../protocol/raw-text.ts'
import { metaOf } from '../../protocol/versions.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import type { Headers } from './http-exchange.ts'
import type { HttpResponse } from './http-response.ts'
import { TransportError } from '../failures.ts'

/** Adds our progress token to the params, and the envelope if the era has one. */
export function withEnvelope(
  params: JsonObject,
  client: Client | undefined,
  era: EraName,
  id: RequestId,
): JsonObject {
  const meta = metaOf(params)
  const wantsProgress = meta['progressToken'] !== undefined
  const envelope = ERAS[era].envelope(client)
  if (!envelope && !wantsProgress) return params
  const sent: Record<string, unknown> = { ...meta, ...envelope }
  if (wantsProgress) sent['progressToken'] = id
  return { ...params, _meta: sent }
}

/** Where a message goes and for whom. */
export interface Hop {
  readonly era: EraName
  readonly client?: Client | undefined
  readonly more?: Headers | undefined
}

/** Returns the headers of a message: parts of its body, for proxies that route, and its trace. */
export function headersOf(method: string, params: JsonObject, { era, client, more }: Hop): Headers {
  return Object.assign(ERAS[era].headers(method, params), more, carriedBy(params, client?.headers))
}

/** Whether a body is an answer of JSON-RPC; error pages of proxies and frameworks are JSON too. */
export function isRpcAnswer({ error, ...message }: JsonObject): boolean {
  return 'result' in message || (isObject(error) && typeof error['code'] === 'number')
}

export function settle(message: JsonObject): JsonObject {
  if (isObject(message['error'])) throw fromFailure(message['error'])
  const { result } = message
  if (!isObject(result)) throw new RpcError(RPC.internalError, 'Empty answer')
  return result
}

/** The most characters that are read of an error page. */
const MAX_READ = 8_192
const EXCERPT = 200

/**
 * Returns the error for an HTTP failure. Secrets are hidden before the text is cut, so that no part
 * of one is left.
 */
export function toTransportError(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  text: string,
  hide: (text: string) => string,
): Error {
  const { location, 'retry-after': retryAfter } = headers
  const isRedirect = location !== undefined && status >= 300 && status < 400
  const excerpt = hide((isRedirect ? location : text).slice(0, MAX_READ))
    .replaceAll(/<[^>]*>|\s+/g, ' ')
    .trim()
    .slice(0, EXCERPT)
  const said = isRedirect ? ` and redirects to ${excerpt}` : excerpt && `: ${excerpt}`
  const how = status < 300 ? ' without an answer of JSON-RPC' : ''
  const message = `it answered HTTP ${status}${how}${said}`
  return new TransportError(message, { status, retryAfterMs: retryAfterMs(retryAfter) })
}

/** Parses a message, or those of a batch, which servers of 2025-03-26 may send; else nothing. */
export function parseMessages(text: string): JsonObject[] {
  try {
    const value = parseMessage(text)
    return (Array.isArray(value) ? value : [value]).filter(isObject)
  } catch (error) {
    if (error instanceof TooManyValues)
      throw new MessageTooLarge(`its message was not read: ${error.message}`)
    return []
  }
}

/** Parses one message. */
export function parseObject(text: string): JsonObject | undefined {
  const messages = parseMessages(text)
  return messages.length === 1 ? messages[0] : undefined
}
