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
  const entries = Object.entries(schema['properties']).filter(([name]) => name !== '__proto__')
  const first = entries.filter(([name]) => required.has(name))
  const rest = entries.filter(([name]) => !required.has(name))
  const parts: string[] = first.map(([name, type]) => `${name}: ${typeName(type, schema)}`)
  let length = parts.join(', ').length
  for (const [index, [name, type]] of rest.entries()) {
    const part = `${name}?: ${typeName(type, schema)}`
    length += part.length + 2
    if (length > maxLength) {
      parts.push(`…${rest.length - index} optional`)
      break
    }
    parts.push(part)
  }
  return parts.join(', ')
}

const MOST_FIELDS = 8

function returnType(schema: unknown): string {
  return isObject(schema) ? typeName(schema, schema) : ''
}

const DEEPEST = 2
const MOST_CHOICES = 6

/** Returns a short, TypeScript-like type; deep parts become `object`. */
function typeName(given: unknown, root: JsonObject, depth = 0): string {
  const schema = followReference(given, root)
  if (!isObject(schema)) return 'any'
  const choices = choicesOf(schema)
  if (choices) {
    const names = choices.map((choice) =>
      isObject(choice) ? typeName(choice, root, depth + 1) : '',
    )
    return [...new Set(names.filter(Boolean))].slice(0, MOST_CHOICES).join('|') || 'any'
  }
  if (Array.isArray(schema['enum'])) return oneOf(schema['enum'])
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length === 0)
    return isObject(schema['properties']) ? fields(schema, root, depth) : 'any'
  return types.map((type) => plain(type, schema, root, depth)).join('|')
}

function plain(type: string, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === 'array') {
    const item = schema['items'] === undefined ? 'any' : typeName(schema['items'], root, depth + 1)
    return item.includes('|') ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? fields(schema, root, depth) : type
}

function fields(schema: JsonObject, root: JsonObject, depth: number): string {
  if (!isObject(schema['properties']) || depth >= DEEPEST) return 'object'
  const names = Object.keys(schema['properties'])
  if (names.length === 0) return 'object'
  const shown = names.slice(0, MOST_FIELDS).map((name) => {
    const inner = followReference(
      isObject(schema['properties']) ? schema['properties'][name] : undefined,
      root,
    )
    const list = isObject(inner) && inner['type'] === 'array' ? '[]' : ''
    return `${name}${list}`
  })
  return `{${names.length > MOST_FIELDS ? [...shown, '…'].join(', ') : shown.join(', ')}}`
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_CHOICES).map((value) => JSON.stringify(value))
  return values.length > MOST_CHOICES ? `${shown.join('|')}|…` : shown.join('|')
}

function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  const { anyOf, oneOf: one, allOf } = schema
  if (Array.isArray(anyOf)) return anyOf
  if (Array.isArray(one)) return one
  return Array.isArray(allOf) ? allOf.slice(0, 1) : undefined
}
