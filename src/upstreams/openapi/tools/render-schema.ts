import { isNumber } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { alignEnum, alignType, defaultOf } from '../../../gateway/validation/align-schema.ts'
import { FILE_FORMS, isFile } from '../spec/file-schema.ts'
import { plainText } from './plain-text.ts'
import { list, object, text, texts } from '../spec/read-values.ts'
import { resolveRef } from '../spec/resolve-ref.ts'
import { lookUp } from '../../../base/json/json-schema.ts'

/** How much of a schema is written out; what is cut stays open, so no valid input is ever refused. */
export interface Detail {
  /** Levels of objects and arrays below the starting one. */
  readonly depth: number
  readonly descriptionChars: number
  /** Properties of one object. */
  readonly properties: number
  /** Whether files are sent as bytes here, so that a path or a `data:` URL will do. */
  readonly files?: boolean
}

/** Thrown while rendering when a detail level produces more than is worth keeping. */
export class TooManyNodes extends Error {}

/** More nodes than this never fit the longest schema we keep. */
const MAX_NODES = 800
/** Parts of `allOf`: a few schemas that name each other twice have millions. */
const MAX_PARTS = 10_000
const MAX_ENUM = 40
const MAX_ALTERNATIVES = 8

const COPIED = [
  'format',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'const',
] as const

/** Renders a schema of `root` without `$ref`s, for a model to read and a validator to check. */
export function renderSchema(root: JsonObject, schema: unknown, detail: Detail): JsonObject {
  return new Renderer(root, detail).render(schema, 0, [])
}

class Renderer {
  readonly #root: JsonObject
  readonly #detail: Detail
  #nodes = 0
  #parts = 0

  constructor(root: JsonObject, detail: Detail) {
    this.#root = root
    this.#detail = detail
  }

  render(raw: unknown, depth: number, chain: readonly string[]): JsonObject {
    if (++this.#nodes > MAX_NODES) throw new TooManyNodes()
    if (raw === false) return { not: {} }
    if (!isObject(raw)) return {}
    const ref = text(raw['$ref'])
    if (ref) return this.#renderRef(raw, ref, depth, chain)
    const schema = alignEnum(this.#mergeAllOf(raw, chain))
    // Limits on bytes do not apply to the text that stands for them.
    if (this.#isFile(schema)) return { ...this.#describe(schema), type: 'string' }
    const alternatives = [...list(schema['oneOf']), ...list(schema['anyOf'])]
    const rendered = {
      ...this.#describe(schema),
      ...typeOf(schema),
      ...copied(schema),
      ...enumOf(schema),
      ...this.#objectParts(schema, depth, chain),
      ...this.#arrayParts(schema, depth, chain),
      ...this.#alternatives(alternatives, depth, chain),
    }
    return orNull(schema, alignType(this.#root, rendered))
  }

  #renderRef(raw: JsonObject, ref: string, depth: number, chain: readonly string[]): JsonObject {
    const target = lookUp(this.#root, ref)
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    if (target === undefined) return { description: `(${name}: not available)` }
    if (chain.includes(ref)) return { ...typeOf(object(target)), description: `(again a ${name})` }
    const rendered = this.render(target, depth, [...chain, ref])
    return orNull(raw, { ...rendered, ...this.#describe(raw) })
  }

  /** `allOf` means "all of these at once": one flat object says that in far fewer tokens. */
  #mergeAllOf(schema: JsonObject, chain: readonly string[]): JsonObject {
    const parts = list(schema['allOf'])
    if (parts.length === 0) return schema
    const { allOf: _, ...rest } = schema
    let merged: JsonObject = {}
    for (const part of [...parts, rest]) merged = mergeSchemas(merged, this.#flatten(part, chain))
    // A closed part would refuse properties that the other parts allow.
    const { additionalProperties: __, ...open } = merged
    return open
  }

  #flatten(part: unknown, chain: readonly string[]): JsonObject {
    if (++this.#parts > MAX_PARTS) throw new TooManyNodes()
    const ref = text(object(part)['$ref'])
    if (!ref) return this.#mergeAllOf(object(part), chain)
    if (chain.includes(ref)) return {}
    return this.#flatten(lookUp(this.#root, ref), [...chain, ref])
  }

  #describe(schema: JsonObject): JsonObject {
    const words = plainText(text(schema['description']), this.#detail.descriptionChars)
    const description = `${words} ${this.#fileForm(schema)}`.trim()
    return description ? { description } : {}
  }

  #fileForm(schema: JsonObject): string {
    if (this.#isFile(schema)) return FILE_FORMS
    return schema['format'] === 'binary' || schema['format'] === 'byte' ? '(base64)' : ''
  }

  #isFile(schema: JsonObject): boolean {
    return this.#detail.files === true && schema['type'] !== 'array' && isFile(this.#root, schema)
  }

  #objectParts(schema: JsonObject, depth: number, chain: readonly string[]): JsonObject {
    const all = Object.entries(object(schema['properties'])).filter(
      ([, each]) => !this.#isReadOnly(each),
    )
    const required = texts(schema['required']).filter((key) => all.some(([name]) => name === key))
    if (all.length === 0) return this.#openParts(schema, depth, chain)
    if (depth >= this.#detail.depth) return { type: 'object', ...fieldNames(schema, all) }
    const sorted = all.toSorted(
      ([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)),
    )
    const shown = sorted.slice(0, Math.max(this.#detail.properties, required.length))
    const left = sorted.slice(shown.length).map(([name]) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(
        shown.map(([name, value]) => [name, this.render(value, depth + 1, chain)]),
      ),
      ...(required.length > 0 && { required }),
      ...(left.length > 0 && { description: `Also: ${shorten(left.join(', '), 400)}` }),
    }
  }

  /** OpenAPI 3.1 allows `readOnly` beside a reference; before, `allOf` holds both. */
  #isReadOnly(property: unknown): boolean {
    const parts = [property, resolveRef(this.#root, property), ...list(object(property)['allOf'])]
    return parts.some((part) => object(part)['readOnly'] === true)
  }

  #openParts(schema: JsonObject, depth: number, chain: readonly string[]): JsonObject {
    const values = schema['additionalProperties']
    if (!isObject(values) || Object.keys(values).length === 0) return {}
    if (depth >= this.#detail.depth) return { type: 'object' }
    return { type: 'object', additionalProperties: this.render(values, depth + 1, chain) }
  }

  #arrayParts(schema: JsonObject, depth: number, chain: readonly string[]): JsonObject {
    if (!isObject(schema['items'])) return {}
    // An array adds no level of its own: its cost is that of one item.
    return { type: 'array', items: this.render(schema['items'], depth, chain) }
  }

  #alternatives(raw: readonly unknown[], depth: number, chain: readonly string[]): JsonObject {
    if (raw.length === 0) return {}
    if (depth >= this.#detail.depth + 1) return {}
    const rendered = raw.slice(0, MAX_ALTERNATIVES).map((each) => this.render(each, depth, chain))
    if (raw.length > MAX_ALTERNATIVES) rendered.push({})
    const [only] = rendered
    return rendered.length === 1 && only ? only : { anyOf: rendered }
  }
}

function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const properties = { ...object(left['properties']), ...object(right['properties']) }
  const required = [...new Set([...texts(left['required']), ...texts(right['required'])])]
  return {
    ...left,
    ...right,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** Names alone cost little and show an agent what else it may pass. */
function fieldNames(schema: JsonObject, properties: readonly [string, unknown][]): JsonObject {
  const names = shorten(properties.map(([name]) => name).join(', '), 120)
  const own = plainText(text(schema['description']), 60)
  return { description: own ? `${own} {${names}}` : `{${names}}` }
}

function shorten(words: string, maxChars: number): string {
  if (words.length <= maxChars) return words
  return `${words.slice(0, words.lastIndexOf(',', maxChars))}, …`
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

function typeOf(schema: JsonObject): JsonObject {
  const declared = schema['type']
  const types = (Array.isArray(declared) ? declared : [declared]).filter((type) =>
    TYPES.has(String(type)),
  )
  if (types.length === 0) return {}
  return { type: types.length === 1 ? types[0] : types }
}

/** Allows `null` in a nullable schema even if type, enum or `anyOf` omits it: servers accept it. */
function orNull(schema: JsonObject, rendered: JsonObject): JsonObject {
  const isNullable =
    schema['nullable'] === true ||
    schema['x-nullable'] === true ||
    schema['default'] === null ||
    (Array.isArray(schema['type']) && schema['type'].includes('null'))
  if (!isNullable) return rendered
  const { type, enum: allowed, anyOf } = rendered
  const nothing = { type: 'null' }
  return {
    ...rendered,
    ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(allowed) && { enum: [...new Set([...allowed, null])] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, nothing] }),
  }
}

function copied(schema: JsonObject): JsonObject {
  const parts: JsonObject = {}
  for (const key of COPIED) if (schema[key] !== undefined) parts[key] = schema[key]
  Object.assign(parts, bound(schema, 'minimum', 'exclusiveMinimum'))
  Object.assign(parts, bound(schema, 'maximum', 'exclusiveMaximum'))
  const pattern = text(schema['pattern'])
  if (pattern && pattern.length <= 80 && isRegExp(pattern)) parts['pattern'] = pattern
  const initial = defaultOf(schema)
  if (initial !== undefined && JSON.stringify(initial).length <= 60) parts['default'] = initial
  return parts
}

/** OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`; JSON Schema has the number itself. */
function bound(schema: JsonObject, inclusive: string, exclusive: string): JsonObject {
  if (schema[exclusive] === true) return { [inclusive]: undefined, [exclusive]: schema[inclusive] }
  return isNumber(schema[exclusive]) ? { [exclusive]: schema[exclusive] } : {}
}

function isRegExp(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

function enumOf(schema: JsonObject): JsonObject {
  const values = list(schema['enum'])
  if (values.length === 0) return {}
  if (values.length <= MAX_ENUM) return { enum: values }
  // A shortened enum would refuse valid values, so it is only described.
  return { description: `One of ${values.length}: ${shorten(values.join(', '), 200)}` }
}
