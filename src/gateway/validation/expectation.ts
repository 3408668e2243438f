import { isNumber, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'

/** Describes what a schema asks for, in a few words. */
export function expectation(schema: unknown): string {
  if (!isObject(schema)) return 'any value'
  const { enum: allowed, const: only, anyOf, oneOf, type } = schema
  if (Array.isArray(allowed)) return `one of ${list(allowed)}`
  if (only !== undefined) return stringifyExact(only)
  const either = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(either)) return [...new Set(either.map(expectation))].slice(0, 4).join(' or ')
  if (type === 'array') return `array of ${expectation(schema['items'])}`
  if (typeof type === 'string') return type + bounds(schema)
  return Array.isArray(type)
    ? type.join(' or ')
    : isObject(schema['properties'])
      ? 'object'
      : 'any value'
}

function bounds(schema: JsonObject): string {
  const { minimum, maximum, maxLength } = schema
  if (minimum !== undefined && maximum !== undefined)
    return ` ${stringifyExact(minimum)}..${stringifyExact(maximum)}`
  // An old schema has `exclusiveMinimum: true` beside its minimum.
  const signs = Object.entries(SIGNS).filter(([keyword]) => isNumber(schema[keyword]))
  if (signs.length > 0)
    return ` ${signs.map(([keyword, sign]) => `${sign} ${stringifyExact(schema[keyword])}`).join(' and ')}`
  return maxLength === undefined ? '' : ` of at most ${stringifyExact(maxLength)} characters`
}

const SIGNS = {
  minimum: '>=',
  exclusiveMinimum: '>',
  maximum: '<=',
  exclusiveMaximum: '<',
}

const MOST_LISTED = 6

export function list(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_LISTED).map((value) => stringifyExact(value))
  return values.length > MOST_LISTED
    ? `${shown.join(', ')}, … (${values.length})`
    : shown.join(', ')
}

/** Returns an example value for a schema. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema)) return '…'
  const stated = statedValue(schema)
  if (stated !== undefined) return stated
  const { type, items, properties, minimum } = schema
  const name = isObject(properties) ? 'object' : [type].flat()[0]
  if (name === 'integer' || name === 'number') return minimum ?? 1
  if (name === 'boolean') return true
  if (name === 'array') return depth > 2 ? [] : [exampleOf(items, depth + 1)]
  return name === 'object' ? objectExample(schema, depth) : '…'
}

/** Returns a value that the schema itself names. */
function statedValue(schema: JsonObject): unknown {
  const { examples, default: fallback, enum: allowed, const: only } = schema
  const [example] = Array.isArray(examples) ? examples : []
  const [first] = Array.isArray(allowed) ? allowed : []
  return example ?? fallback ?? only ?? first
}

function objectExample(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  if (depth > 2) return {}
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name], depth + 1)]))
}
