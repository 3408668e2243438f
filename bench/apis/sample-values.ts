import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { list, object, texts } from '../../src/upstreams/openapi/spec/read-values.ts'
import { deref } from '../support/deref.ts'

const NASTY = 'a b&c=d/ü?#%'

/** A value that fits a schema, with characters that go wrong when they are not encoded. */
export function sampleValue(root: JsonObject, raw: unknown, depth = 0): unknown {
  const schema = merged(root, deref(root, raw))
  if (schema.const !== undefined) return schema.const
  const known = list(schema.enum)
  if (known.length > 0) return known.find((each) => each !== null && each !== '')
  const [alternative] = list(schema.oneOf ?? schema.anyOf)
  if (isObject(alternative) && !isObject(schema.properties))
    return sampleValue(root, alternative, depth)
  return SAMPLES[typeOf(schema)](root, schema, depth)
}

type Sample = (root: JsonObject, schema: JsonObject, depth: number) => unknown

const SAMPLES = {
  array: (root, schema, depth) => {
    const item = sampleValue(root, schema.items, depth + 1)
    return item === undefined ? [] : [item]
  },
  object: sampleObject,
  integer: (_, { minimum }) => Math.max(7, Math.ceil(typeof minimum === 'number' ? minimum : 7)),
  number: () => 7.5,
  boolean: () => true,
  string: (_, schema) => sampleText(schema),
} satisfies Record<string, Sample>

function typeOf({ type, items, properties }: JsonObject): keyof typeof SAMPLES {
  if (isObject(items)) return 'array'
  if (isObject(properties)) return 'object'
  const [declared] = [type].flat().filter((each) => each !== 'null')
  return isSampled(declared) ? declared : 'string'
}

function isSampled(type: unknown): type is keyof typeof SAMPLES {
  return typeof type === 'string' && Object.hasOwn(SAMPLES, type)
}

function sampleText({ format, pattern, maxLength }: JsonObject): string {
  if (format === 'date') return '2026-01-31'
  if (format === 'date-time') return '2026-01-31T10:00:00Z'
  if (format === 'binary' || format === 'byte') return Buffer.from('bytes').toString('base64')
  if (pattern !== undefined) return 'abc'
  const longest = typeof maxLength === 'number' ? maxLength : NASTY.length
  return NASTY.slice(0, Math.max(1, longest)).trim()
}

function sampleObject(root: JsonObject, schema: JsonObject, depth: number): JsonObject {
  if (depth > 2) return {}
  const required = texts(schema.required)
  const properties = object(schema.properties)
  const names = Object.keys(properties)
  const optional = names.filter((name) => !required.includes(name)).slice(0, 3)
  const chosen = [...names.filter((name) => required.includes(name)), ...optional]
  const entries = chosen.flatMap((name) => {
    const property = deref(root, properties[name])
    if (property.readOnly === true) return []
    const value = sampleValue(root, property, depth + 1)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function merged(root: JsonObject, schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.allOf)) return schema
  const parts = schema.allOf.map((part) => merged(root, deref(root, part)))
  const whole: JsonObject = {}
  const all: JsonObject = {}
  for (const part of parts) {
    Object.assign(whole, part)
    Object.assign(all, part.properties)
  }
  Object.assign(all, schema.properties)
  const properties = Object.keys(all).length > 0 ? all : undefined
  const required = [...parts.flatMap((part) => texts(part.required)), ...texts(schema.required)]
  return { ...whole, ...schema, properties, required, allOf: undefined }
}
