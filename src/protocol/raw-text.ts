import type { RequestId } from './json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'

/**
 * The text a result arrived as, kept beside the parsed object so that an unchanged result leaves
 * byte for byte as it came: 64-bit integers, `1.0`, key order and all, and without serialising twice.
 * A layer that changes a result makes a new object, which has no text here.
 */
const TEXT = Symbol('text')

/** A copy of the object copies this field too; the text is valid only where `of` is the object itself. */
interface Carrier {
  [TEXT]?: { readonly of: object; readonly text: string }
}

const HEAD =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*(?:\d+|"[^"\\]*")\s*,\s*)*"result"\s*:\s*/
const TAIL = /(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0"|\s*,\s*"id"\s*:\s*(?:\d+|"[^"\\]*"))*\s*\}\s*$/
const TAIL_REACH = 120
const ENVELOPE_KEYS = 3

/** Stores the text of `message.result` when it can be cut out of `text` without ambiguity. */
export function rememberRaw(message: JsonObject, text: string): void {
  const result = message['result']
  if (!isObject(result) || Object.keys(message).length !== ENVELOPE_KEYS) return
  const head = HEAD.exec(text.length > 512 ? text.slice(0, 512) : text)?.[0]
  if (head === undefined) return
  const reach = text.slice(Math.max(head.length, text.length - TAIL_REACH))
  const tail = TAIL.exec(reach)?.[0]
  if (tail === undefined || countKeys(head) + countKeys(tail) !== ENVELOPE_KEYS - 1) return
  rememberText(result, text.slice(head.length, text.length - tail.length))
}

/** The text of a result that is unchanged since it was received. */
export function rawText(result: JsonObject): string | undefined {
  const carrier: Carrier = result
  const source = carrier[TEXT]
  return source?.of === result ? source.text : undefined
}

/** A result out of the text that `toText` gave, byte for byte as it first came. */
export function fromText(text: string): JsonObject | undefined {
  const result: unknown = parseExact(text)
  if (!isObject(result)) return undefined
  rememberText(result, text)
  return result
}

export function toText(result: JsonObject): string {
  return rawText(result) ?? stringifyExact(result)
}

export function encodeResult(id: RequestId | null, result: JsonObject): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${toText(result)}}`
}

/** The same result with one more field in front, still without touching the text of the rest. */
export function withField(result: JsonObject, key: string, value: unknown): JsonObject {
  if (key in result) return result
  const extended = { [key]: value, ...result }
  const text = rawText(result)
  if (text?.startsWith('{')) {
    const comma = Object.keys(result).length > 0 ? ',' : ''
    rememberText(
      extended,
      `{${JSON.stringify(key)}:${stringifyExact(value)}${comma}${text.slice(1)}`,
    )
  }
  return extended
}

/** Like `withField`, for a result that is only sent from here on: where its text is known, no copy. */
export function toSendWithField(result: JsonObject, key: string, value: unknown): JsonObject {
  const text = rawText(result)
  if (key in result || !text?.startsWith('{') || text === '{}') return withField(result, key, value)
  const sent: JsonObject = { [key]: value }
  rememberText(sent, `{${JSON.stringify(key)}:${stringifyExact(value)},${text.slice(1)}`)
  return sent
}

/** Records that `result` was parsed from exactly this text. */
export function rememberText(result: JsonObject, text: string): void {
  const carrier: Carrier = result
  carrier[TEXT] = { of: result, text }
}

export function encodeId(id: RequestId | null): string {
  return typeof id === 'number' ? String(id) : stringifyExact(id)
}

function countKeys(part: string): number {
  return (part.includes('"jsonrpc"') ? 1 : 0) + (part.includes('"id"') ? 1 : 0)
}
