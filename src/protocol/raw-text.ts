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

/** How far from either end of a message its envelope is looked for. */
const REACH = 120
const ENVELOPE = ['"jsonrpc"', '"id"']
const ID_FIRST = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result":/
const RESULT_FIRST = '{"result":'
const ID_LAST = /,"jsonrpc":"2\.0","id":(\d{1,15})\}$/
const LONGEST_END = 40

/**
 * Reads a JSON-RPC message. Its result, if it has one, keeps the text it came as, where that can be cut
 * out beyond doubt: what is cut out is one JSON value, and what is left is an envelope. A server that
 * writes a key twice could otherwise write a part of the message that we send.
 */
export function parseMessage(text: string): unknown {
  return parseUsual(text) ?? parseAny(text)
}

/** The spellings of nearly all servers: there is nothing in the message but the result, if that parses. */
function parseUsual(text: string): JsonObject | undefined {
  let found = ID_FIRST.exec(text)
  let raw = ''
  if (found && text.endsWith('}')) raw = text.slice(found[0].length, -1)
  else if (text.startsWith(RESULT_FIRST)) {
    found = ID_LAST.exec(text.slice(-LONGEST_END))
    raw = text.slice(RESULT_FIRST.length, -(found?.[0].length ?? 0))
  }
  const result = found && tryParse(raw)
  if (!isObject(result)) return undefined
  return { jsonrpc: '2.0', id: Number(found?.[1]), result: keepText(result, raw) }
}

function parseAny(text: string): unknown {
  const place = placeOfResult(text)
  if (!place) return parseExact(text)
  const raw = text.slice(place.from, place.to).trim()
  const result = tryParse(raw)
  const envelope = tryParse(`${text.slice(0, place.from)}0${text.slice(place.to)}`)
  if (!isObject(result) || !isObject(envelope)) return parseExact(text)
  if (Object.keys(envelope).length !== ENVELOPE.length + 1) return parseExact(text)
  envelope['result'] = keepText(result, raw)
  return envelope
}

/** On stdio a line is a message: a part of a text of several lines would be taken for another. */
function keepText(result: JsonObject, raw: string): JsonObject {
  rememberText(result, /[\r\n]/.test(raw) ? raw.replaceAll(/[\r\n]+/g, ' ') : raw)
  return result
}

/** Where the text of the result is likely to be. */
function placeOfResult(text: string): { from: number; to: number } | undefined {
  const head = text.slice(0, REACH)
  const key = head.indexOf('"result"')
  if (key === -1) return undefined
  const after = ENVELOPE.filter((name) => head.lastIndexOf(name, key) === -1)
  const next = Math.min(...after.map((name) => text.lastIndexOf(name)))
  const to = after.length > 0 ? text.lastIndexOf(',', next) : text.lastIndexOf('}')
  return { from: text.indexOf(':', key) + 1, to }
}

function tryParse(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
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
