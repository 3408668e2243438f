import { stringifyExact } from '../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { followReference, requiredNames } from '../base/json/json-schema.ts'

export interface SignatureOptions {
  /** Characters after which optional parameters are counted instead of listed. */
  readonly maxLength?: number
  /** Leaves out optional parameters and the return type. */
  readonly isBrief?: boolean
}

/**
 * Describes a tool in one line from which a model can call it: `create_issue(title: string,
 * labels?: string[]) → {number, url}`. It takes a tenth of the tokens of the tool's JSON Schemas.
 */
export function signature(definition: JsonObject, options: SignatureOptions = {}): string {
  const { maxLength = 400, isBrief = false } = options
  const name = String(definition['name'])
  const result = isBrief ? '' : returnType(definition['outputSchema'])
  return `${name}(${parameters(definition['inputSchema'], isBrief ? 0 : maxLength)})${result && ` → ${result}`}`
}

function parameters(schema: unknown, maxLength: number): string {
  if (!isObject(schema) || !isObject(schema['properties'])) return ''
  const required = new Set(requiredNames(schema, schema))
  const place = startOf(schema)
  const entries = Object.entries(schema['properties']).filter(([name]) => name !== '__proto__')
  const first = entries.filter(([name]) => required.has(name))
  const rest = entries.filter(([name]) => !required.has(name))
  const parts: string[] = first.map(([name, type]) => `${name}: ${typeName(type, place)}`)
  let length = parts.join(', ').length
  for (const [index, [name, type]] of rest.entries()) {
    const part = `${name}?: ${typeName(type, place)}`
    length += part.length + 2
    if (length > maxLength) {
      parts.push(`…${rest.length - index} optional`)
      break
    }
    parts.push(part)
  }
  return parts.join(', ')
}

const MAX_FIELDS = 8

function returnType(schema: unknown): string {
  return isObject(schema) ? typeName(schema, startOf(schema)) : ''
}

/** Fields of deeper objects are not listed. */
const MAX_DEPTH = 2
const MAX_CHOICES = 6
/** Bounds the types of one schema: references can multiply them at every level. */
const MAX_TYPES = 1_000
/** Lists and choices within each other are named this deep. */
const MAX_NESTED = 8

interface SchemaContext {
  readonly root: JsonObject
  /** The schemas around it, outermost first. */
  readonly within: readonly JsonObject[]
  /** How many more types may be named. */
  readonly work: { left: number }
}

function startOf(root: JsonObject): SchemaContext {
  return { root, within: [], work: { left: MAX_TYPES } }
}

/** Returns a short, TypeScript-like type; deep parts become `object`, circles `any`. */
function typeName(given: unknown, place: SchemaContext): string {
  const { root, within, work } = place
  const schema = followReference(given, root)
  work.left -= 1
  if (!isObject(schema) || work.left < 0) return 'any'
  if (within.length > MAX_NESTED || within.includes(schema)) return 'any'
  const below = { root, work, within: [...within, schema] }
  const choices = choicesOf(schema)
  if (choices) {
    const names = choices.map((choice) => (isObject(choice) ? typeName(choice, below) : ''))
    return [...new Set(names.filter(Boolean))].slice(0, MAX_CHOICES).join('|') || 'any'
  }
  if (Array.isArray(schema['enum'])) return oneOf(schema['enum'])
  if (schema['const'] !== undefined) return stringifyExact(schema['const'])
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0) return isObject(schema['properties']) ? fields(schema, place) : 'any'
  return types.map((type) => plain(type, schema, place, below)).join('|')
}

function plain(
  type: string,
  schema: JsonObject,
  place: SchemaContext,
  below: SchemaContext,
): string {
  if (type === 'array') {
    const item = schema['items'] === undefined ? 'any' : typeName(schema['items'], below)
    return item.includes('|') ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? fields(schema, place) : type
}

function fields(schema: JsonObject, { root, within }: SchemaContext): string {
  if (!isObject(schema['properties']) || within.length >= MAX_DEPTH) return 'object'
  const names = Object.keys(schema['properties'])
  if (names.length === 0) return 'object'
  const shown = names.slice(0, MAX_FIELDS).map((name) => {
    const inner = followReference(
      isObject(schema['properties']) ? schema['properties'][name] : undefined,
      root,
    )
    const list = isObject(inner) && inner['type'] === 'array' ? '[]' : ''
    return `${name}${list}`
  })
  return `{${names.length > MAX_FIELDS ? [...shown, '…'].join(', ') : shown.join(', ')}}`
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_CHOICES).map((value) => stringifyExact(value))
  return values.length > MAX_CHOICES ? `${shown.join('|')}|…` : shown.join('|')
}

function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  const { anyOf, oneOf: one, allOf } = schema
  if (Array.isArray(anyOf)) return anyOf
  if (Array.isArray(one)) return one
  return Array.isArray(allOf) ? allOf.slice(0, 1) : undefined
}
