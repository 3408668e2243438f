import { type JsonObject, isObject } from '../../src/base/json/json.ts'

/** A result shortened to the budget of an API: lists become tables, or lose fields. */
export interface Shortened extends JsonObject {
  readonly _handle: string
}

export function isShortened(value: unknown): value is Shortened {
  return isObject(value) && value['_summarized'] === true && typeof value['_handle'] === 'string'
}

/** Returns the list as the program expects it, if it still has all needed fields. */
export function rowsIn(shortened: Shortened, fields: readonly string[]): unknown {
  const body = bodyOf(shortened)
  const rows = recordsIn(isPage(body) ? body['data'] : body)
  const isWhole = fields.every((field) => rows?.every((row) => field in row))
  if (!rows || !isWhole) return undefined
  return isPage(body) ? { ...body, data: rows } : rows
}

/** Returns the JMESPath for the fields, in the shape of the whole result. */
export function selectionOf(shortened: Shortened, fields: readonly string[]): string {
  const one = `{${fields.map(memberOf).join(', ')}}`
  return isPage(bodyOf(shortened)) ? `{has_more: has_more, data: data[].${one}}` : `[].${one}`
}

function bodyOf(shortened: Shortened): unknown {
  return isPage(shortened) ? shortened : shortened['data']
}

function isPage(body: unknown): body is JsonObject {
  return isObject(body) && 'has_more' in body
}

function recordsIn(list: unknown): JsonObject[] | undefined {
  if (Array.isArray(list)) return list.filter(isObject)
  const { _columns: columns, _rows: rows }: JsonObject = isObject(list) ? list : {}
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  return rows.map((row: readonly unknown[]) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index]])),
  )
}

function memberOf(field: string): string {
  const [outer = '', inner] = field.split('.')
  return inner === undefined ? `${outer}: ${outer}` : `${outer}: {${inner}: ${field}}`
}
