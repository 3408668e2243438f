import { isObject } from '../base/json/json.ts'
import { ExactNumber } from '../base/json/exact-json.ts'

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const SENTINEL = /^=\?base64\?.*\?=$/

/** The parameter that `Mcp-Name` repeats, by method. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** A parameter that its schema marks to be repeated in a header. */
export interface HeaderMark {
  readonly header: string
  readonly path: readonly string[]
}

/** Returns a valid header value unchanged, and any other in the base64 form of the protocol. */
export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

/** Decodes a header value; undefined if it has the base64 form but is not valid base64. */
export function decodeHeader(value: string): string | undefined {
  if (!SENTINEL.test(value)) return value
  const encoded = value.slice('=?base64?'.length, -'?='.length)
  // Node decodes anything: it skips invalid characters and needs no padding.
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}

/** Returns the `Mcp-Param-*` headers of a call, from the marks in its tool's schema. */
export function paramHeaders(marks: readonly HeaderMark[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of marks) {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), args)
    if (isPrimitive(value))
      headers[`mcp-param-${header.toLowerCase()}`] = encodeHeader(String(value))
  }
  return headers
}

function isPrimitive(value: unknown): value is string | number | boolean | ExactNumber {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof ExactNumber
}

/** Returns why a tool must not be offered over HTTP: its header marks break the protocol. */
export function invalidMarks(schema: unknown): string | undefined {
  const seen = new Set<string>()
  for (const { header, path } of headerMarks(schema)) {
    if (!TOKEN.test(header)) return `"${header}" of ${path.join('.')} is no valid header name`
    if (seen.has(header.toLowerCase())) return `the header "${header}" is used twice`
    seen.add(header.toLowerCase())
  }
  if (isObject(schema) && countMarks(schema) !== seen.size)
    return 'a header mark stands where its value cannot be found'
  return undefined
}

export function headerMarks(schema: unknown, path: readonly string[] = []): HeaderMark[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return []
  return Object.entries(schema['properties']).flatMap(([key, property]) => {
    if (!isObject(property)) return []
    const header = property['x-mcp-header']
    const at = [...path, key]
    const primitive = ['string', 'integer', 'boolean'].includes(String(property['type']))
    const own = typeof header === 'string' && primitive ? [{ header, path: at }] : []
    return [...own, ...headerMarks(property, at)]
  })
}

function countMarks(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, item) => sum + countMarks(item), 0)
  if (!isObject(node)) return 0
  return Object.entries(node).reduce(
    (sum, [key, value]) => sum + (key === 'x-mcp-header' ? 1 : countMarks(value)),
    0,
  )
}
