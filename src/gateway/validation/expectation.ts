import { isNumber, stringifyExact } from '../../base/json/exact-json.ts'
import { followReference } from '../../base/json/json-schema.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'

/** References may lead back to where they stand, and one schema may be named at many places. */
const MAX_DEPTH = 4
const MAX_CHOICES = 6
const MAX_PARTS = 200

/** Describes what a schema asks for, in a few words; `root` is the schema that holds its `$defs`. */
export function expectation(given: unknown, root: JsonObject = {}, depth = 0): string {
  const schema = followReference(given, root)
  if (!isObject(schema) || depth > MAX_DEPTH) return 'any value'
  const inner = (part: unknown) => expectation(part, root, depth + 1)
  const { enum: allowed, const: only, type } = schema
  if (Array.isArray(allowed)) return `one of ${list(allowed)}`
  if (only !== undefined) return stringifyExact(only)
  const choices = choicesOf(schema)
  if (choices) return [...new Set(choices.map(inner))].slice(0, 4).join(' or ')
  if (type === 'array') return `array of ${inner(schema['items'])}`
  return typeof type === 'string' ? type + bounds(schema) : withoutType(schema)
}

function withoutType({ type, properties }: JsonObject): string {
  if (Array.isArray(type)) return type.join(' or ')
  return isObject(properties) ? 'object' : 'any value'
}

function choicesOf({ anyOf, oneOf }: JsonObject): readonly unknown[] | undefined {
  const choices = Array.isArray(anyOf) ? anyOf : oneOf
  return Array.isArray(choices) ? choices.slice(0, MAX_CHOICES) : undefined
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

const MAX_LISTED = 6

export function list(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => stringifyExact(value))
  return values.length > MAX_LISTED ? `${shown.join(', ')}, … (${values.length})` : shown.join(', ')
}

/** Returns an example value for a schema; `root` is the schema that holds its `$defs`. */
export function exampleOf(given: unknown, root: JsonObject = {}): unknown {
  let left = MAX_PARTS

  function of(part: unknown, depth: number): unknown {
    const schema = followReference(part, root)
    if (!isObject(schema) || depth > MAX_DEPTH || --left < 0) return '…'
    const stated = statedValue(schema)
    if (stated !== undefined && stated !== null) return stated
    const choice = choicesOf(schema)?.find((one) => !isNull(one))
    return choice === undefined ? ofType(schema, depth) : of(choice, depth + 1)
  }

  function ofType(schema: JsonObject, depth: number): unknown {
    const { type, items, properties, minimum } = schema
    const name = isObject(properties) ? 'object' : [type].flat()[0]
    if (name === 'integer' || name === 'number') return minimum ?? 1
    if (name === 'boolean') return true
    if (name === 'array') return depth > 2 ? [] : [of(items, depth + 1)]
    return name === 'object' ? ofObject(schema, depth) : '…'
  }

  function ofObject({ properties, required }: JsonObject, depth: number): JsonObject {
    const known = isObject(properties) ? properties : {}
    const names = Array.isArray(required) ? required.map(String) : []
    if (depth > 2) return {}
    return Object.fromEntries(names.map((name) => [name, of(known[name], depth + 1)]))
  }

  return of(given, 0)
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null'
}

/** Returns a value that the schema itself names. */
function statedValue(schema: JsonObject): unknown {
  const { examples, default: fallback, enum: allowed, const: only } = schema
  const [example] = Array.isArray(examples) ? examples : []
  const [first] = Array.isArray(allowed) ? allowed : []
  return example ?? fallback ?? only ?? first
}
