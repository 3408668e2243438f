import { type JsonObject, isObject } from '../../../base/json/json.ts'

const MIN_ROWS = 3
/** Below this share of filled cells, nulls in a table cost more than repeated names. */
const FILLED = 0.6
const MAX_COLUMNS = 200

/** Replaces every array of similar objects by a list of column names and rows of values. */
export function toColumns(value: unknown): unknown {
  if (Array.isArray(value)) {
    const table = value.every(isObject) ? tabulate(value) : undefined
    return table ?? value.map(toColumns)
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toColumns(inner)]))
}

function tabulate(rows: readonly JsonObject[]): JsonObject | undefined {
  if (rows.length < MIN_ROWS) return undefined
  const flat = rows.map(flatten)
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))]
  const cells = flat.reduce((sum, row) => sum + row.size, 0)
  const few = names.length === 0 || names.length > MAX_COLUMNS
  if (few || cells < FILLED * rows.length * names.length) return undefined

  const [first = new Map<string, unknown>()] = flat
  const constant = names.filter((name) => isConstant(flat, name, first.get(name)))
  const same = new Set(constant)
  const columns = names.filter((name) => !same.has(name))
  return {
    ...(constant.length > 0 && {
      _same: Object.fromEntries(constant.map((name) => [name, first.get(name)])),
    }),
    _columns: columns,
    _rows: flat.map((row) => columns.map((name) => row.get(name) ?? null)),
  }
}

function isConstant(rows: readonly Map<string, unknown>[], name: string, value: unknown): boolean {
  return (
    value !== undefined && typeof value !== 'object' && rows.every((row) => row.get(name) === value)
  )
}

/** Fields of nested objects become columns of their own, such as `owner.login`. */
function flatten(row: JsonObject): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  for (const [key, value] of Object.entries(row)) {
    if (isPlainRecord(value)) {
      for (const [inner, leaf] of Object.entries(value))
        flat.set(`${key}.${inner}`, toColumns(leaf))
    } else {
      flat.set(key, toColumns(value))
    }
  }
  return flat
}

function isPlainRecord(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return entries.length <= 6 && entries.every(([key]) => !key.includes('.'))
}
