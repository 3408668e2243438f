import { parseExact, stringifyExact } from '../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { envelopeOf } from '../protocol/framing/line-framer.ts'

/** What a bridge needs to know of a message. `key` is its id as JSON. */
export type Seen =
  | {
      readonly kind: 'request'
      readonly key: string
      readonly method: string
      readonly uri?: string
    }
  | { readonly kind: 'answer'; readonly key: string }
  | { readonly kind: 'notification'; readonly method: string; readonly cancels?: string }

/** Of a longer message only the edges are read. */
const MAX_PARSED_BYTES = 8192
const EDGE_BYTES = 512
const METHOD = /"method"\s*:\s*"([^"\\]{1,100})"/

/** Reads what a client wrote in one line: one message, several in a batch, or none. */
export function seeClientLine(line: Buffer): Seen[] {
  if (line.length > MAX_PARSED_BYTES) return seeLong(line)
  try {
    const content: unknown = parseExact(line.toString('utf8'))
    return (Array.isArray(content) ? content : [content]).flatMap(see)
  } catch {
    return [] // The gateway says what is wrong with it.
  }
}

function see(message: unknown): Seen[] {
  if (!isObject(message)) return []
  const { id, method } = message
  const params: JsonObject = isObject(message['params']) ? message['params'] : {}
  const key = keyOf(id)
  if (typeof method !== 'string') return key === undefined ? [] : [{ kind: 'answer', key }]
  if (key !== undefined) {
    const { uri } = params
    return [{ kind: 'request', key, method, ...(typeof uri === 'string' && { uri }) }]
  }
  const cancels = method === 'notifications/cancelled' ? keyOf(params['requestId']) : undefined
  return [{ kind: 'notification', method, ...(cancels !== undefined && { cancels }) }]
}

function seeLong(line: Buffer): Seen[] {
  const edges = {
    bytes: line.length,
    head: line.toString('utf8', 0, EDGE_BYTES),
    tail: line.toString('utf8', line.length - EDGE_BYTES),
  }
  const { id, isAnswer } = envelopeOf(edges)
  const key = keyOf(id)
  if (key === undefined) return []
  if (isAnswer) return [{ kind: 'answer', key }]
  const method = (METHOD.exec(edges.head) ?? METHOD.exec(edges.tail))?.[1]
  return method === undefined ? [] : [{ kind: 'request', key, method }]
}

const ID = String.raw`(-?\d+|"(?:[^"\\]|\\.)*")`
/** How the gateway writes every message of its own: with the id first. */
const OF_GATEWAY = new RegExp(`^\\{"jsonrpc":"2\\.0","id":${ID},"(result|error|method)"`)
const HEAD_BYTES = 400

/** Reads what the gateway wrote in one line; undefined for a notification. */
export function seeGatewayLine(line: Buffer): Seen | undefined {
  const found = OF_GATEWAY.exec(line.toString('utf8', 0, HEAD_BYTES))
  const key = found?.[1]
  if (key === undefined) return undefined
  return found?.[2] === 'method' ? { kind: 'request', key, method: '' } : { kind: 'answer', key }
}

function keyOf(id: unknown): string | undefined {
  return id === undefined || id === null || isObject(id) ? undefined : stringifyExact(id)
}
