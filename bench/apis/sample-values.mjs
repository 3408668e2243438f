import { deref } from './document.mjs'

const NASTY = 'a b&c=d/ü?#%'

/** A value that fits a schema, with characters that go wrong when they are not encoded. */
export function sampleValue(root, raw, depth = 0) {
  const schema = merged(root, deref(root, raw ?? {}))
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length > 0) return schema.enum.find((each) => each !== null && each !== '')
  const [alternative] = schema.oneOf ?? schema.anyOf ?? []
  if (alternative && !schema.properties) return sampleValue(root, alternative, depth)
  return SAMPLES[typeOf(schema)](root, schema, depth)
}

const SAMPLES = {
  array: (root, schema, depth) => {
    const item = sampleValue(root, schema.items, depth + 1)
    return item === undefined ? [] : [item]
  },
  object: sampleObject,
  integer: (_, { minimum = 7 }) => Math.max(7, Math.ceil(minimum)),
  number: () => 7.5,
  boolean: () => true,
  string: (_, schema) => sampleText(schema),
}

function typeOf({ type, items, properties }) {
  const [declared] = [type].flat().filter((each) => each !== 'null')
  if (items) return 'array'
  return properties ? 'object' : declared in SAMPLES ? declared : 'string'
}

function sampleText({ format, pattern, maxLength }) {
  if (format === 'date') return '2026-01-31'
  if (format === 'date-time') return '2026-01-31T10:00:00Z'
  if (format === 'binary' || format === 'byte') return Buffer.from('bytes').toString('base64')
  if (pattern !== undefined) return 'abc'
  return NASTY.slice(0, Math.max(1, maxLength ?? NASTY.length)).trim()
}

function sampleObject(root, schema, depth) {
  if (depth > 2) return {}
  const required = schema.required ?? []
  const names = Object.keys(schema.properties ?? {})
  const optional = names.filter((name) => !required.includes(name)).slice(0, 3)
  const chosen = [...names.filter((name) => required.includes(name)), ...optional]
  const entries = chosen.flatMap((name) => {
    const property = deref(root, schema.properties[name])
    if (property.readOnly) return []
    const value = sampleValue(root, property, depth + 1)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

function merged(root, schema) {
  if (!schema.allOf) return schema
  const parts = schema.allOf.map((part) => merged(root, deref(root, part)))
  const all = Object.assign({}, ...parts.map((part) => part.properties), schema.properties)
  const properties = Object.keys(all).length > 0 ? all : undefined
  const required = [...parts.flatMap((part) => part.required ?? []), ...(schema.required ?? [])]
  return { ...Object.assign({}, ...parts), ...schema, properties, required, allOf: undefined }
}
