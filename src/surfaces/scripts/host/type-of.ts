import { stringifyExact } from '../../../base/json/exact-json.ts'
import { followReference, requiredNames } from '../../../base/json/json-schema.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'

/** Deeper parts are `unknown`: a program reads the value itself. */
const MAX_DEPTH = 6
const MAX_FIELDS = 40
const MAX_CHOICES = 20
/** Bounds the parts of one type: references can multiply them at every level. */
const MAX_PARTS = 1_000

/** Writes a JSON Schema as a TypeScript type, bounded in depth and width. */
export function typeOf(schema: unknown): string {
  return isObject(schema)
    ? write(schema, { root: schema, within: [], work: { left: MAX_PARTS } })
    : 'unknown'
}

interface Position {
  readonly root: JsonObject
  /** The schemas around it, outermost first. */
  readonly within: readonly JsonObject[]
  /** How many more parts may be written. */
  readonly work: { left: number }
}

/** Writes `unknown` for what is too deep, and for a type inside itself. */
function write(given: unknown, { root, within, work }: Position): string {
  const schema = followReference(given, root)
  work.left -= 1
  if (!isObject(schema) || work.left < 0) return 'unknown'
  if (within.length > MAX_DEPTH || within.includes(schema)) return 'unknown'
  const below = { root, work, within: [...within, schema] }
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray)
  if (choices) return union(choices.map((choice) => write(choice, below)))
  if (Array.isArray(schema['allOf']))
    return schema['allOf'].map((part) => write(part, below)).join(' & ') || 'unknown'
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((value) => literal(value)))
  if (schema['const'] !== undefined) return literal(schema['const'])
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0) return isObject(schema['properties']) ? fields(schema, below) : 'unknown'
  return union(types.map((type) => named(type, schema, below)))
}

function named(type: string, schema: JsonObject, below: Position): string {
  if (type === 'integer') return 'number'
  if (type === 'object') return fields(schema, below)
  if (type !== 'array') return type
  const item = schema['items'] === undefined ? 'unknown' : write(schema['items'], below)
  return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

function fields(schema: JsonObject, below: Position): string {
  const { properties, additionalProperties } = schema
  const rest = isObject(additionalProperties) ? write(additionalProperties, below) : 'unknown'
  if (!isObject(properties) || Object.keys(properties).length === 0)
    return additionalProperties === false ? '{}' : `Record<string, ${rest}>`
  const required = new Set(requiredNames(schema, schema))
  const names = Object.keys(properties)
  const shown = names.slice(0, MAX_FIELDS).map((name) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${required.has(name) ? '' : '?'}: ${write(properties[name], below)}`
  })
  const more = names.length > MAX_FIELDS ? [`/* ${names.length - MAX_FIELDS} more */`] : []
  return `{ ${[...shown, ...more].join('; ')} }`
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)]
  const shown = different.slice(0, MAX_CHOICES)
  return (different.length > MAX_CHOICES ? [...shown, '…'] : shown).join(' | ') || 'unknown'
}

function literal(value: unknown): string {
  return stringifyExact(value) ?? 'unknown'
}
