import type { RequestId } from './json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'

/**
 * The text that a result arrived as, kept with the parsed object so that an unchanged result is
 * sent on byte for byte (64-bit integers, `1.0`, key order) and is not serialised again. A layer
 * that changes a result makes a new object, which has no text here.
 */
const TEXT = Symbol('text')

/** A copy of the object has this field too; the text is valid only if `of` is the object itself. */
interface Carrier {
  [TEXT]?: { readonly of: object; readonly text: string }
}

/** How many characters from its start a message is searched for the key `result`. */
const REACH = 120
const ENVELOPE = ['"jsonrpc"', '"id"']
const ID_FIRST = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result":/
const RESULT_FIRST = '{"result":'
const ID_LAST = /,"jsonrpc":"2\.0","id":(\d{1,15})\}$/
const MAX_END_LENGTH = 40

/**
 * Parses a JSON-RPC message. Its result, if it has one, keeps the text it came as, if that text can
 * be cut out safely: it must be one JSON value, and the rest must be an envelope. Otherwise a
 * server that writes a key twice could write a part of the message that we send.
 */
export function parseMessage(text: string): unknown {
  return parseUsual(text) ?? parseAny(text)
}

/** Parses the two usual layouts: if the part between parses, it is the result and nothing else. */
function parseUsual(text: string): JsonObject | undefined {
  let found = ID_FIRST.exec(text)
  let raw = ''
  if (found && text.endsWith('}')) raw = text.slice(found[0].length, -1)
  else if (text.startsWith(RESULT_FIRST)) {
    found = ID_LAST.exec(text.slice(-MAX_END_LENGTH))
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

/** Stores the text without line breaks, because on stdio every line is taken for a message. */
function keepText(result: JsonObject, raw: string): JsonObject {
  const hasBreaks = raw.includes('\n') || raw.includes('\r')
  rememberText(result, hasBreaks ? raw.replaceAll(/[\r\n]+/g, ' ') : raw)
  return result
}

/** Guesses where the text of the result is. */
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

/** Returns the text of a result that is unchanged since it was received. */
export function rawText(result: JsonObject): string | undefined {
  const carrier: Carrier = result
  const source = carrier[TEXT]
  return source?.of === result ? source.text : undefined
}

/** Parses a result from the text that `toText` returned; the result keeps that text. */
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

/** Adds a field at the front of a result that lacks it, without touching the text of the rest. */
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

/** Removes a field of a result; its text is kept where the field is its first or last. */
export function withoutField(result: JsonObject, key: string): JsonObject {
  if (!(key in result)) return result
  const { [key]: value, ...rest } = result
  const text = rawText(result)
  const field = `${JSON.stringify(key)}:${stringifyExact(value)}`
  if (text?.startsWith(`{${field},`)) rememberText(rest, `{${text.slice(field.length + 2)}`)
  else if (text?.endsWith(`,${field}}`)) rememberText(rest, `${text.slice(0, -field.length - 2)}}`)
  return rest
}

/** Like `withField`, for a result that is only sent afterwards: no copy if its text is known. */
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
