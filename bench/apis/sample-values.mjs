import { deref } from './document.mjs'

const NASTY = 'a b&c=d/ü?#%'

/** A value that fits a schema, with characters that go wrong when they are not encoded. */
export function sampleValue(root, raw, depth = 0) {
  const schema = merged(root, deref(root, raw ?? {}))
  if (schema.const !== undefined) return schema.const
  if (schema.enum?.length > 0) return schema.enum.find((each) => each !== null && each !== '')
  const [alternative] = schema.oneOf ?? schema.anyOf ?? []
  if (alternative && !schema.properties) return sampleValue(root, alternative, depth)
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type === 'array' || schema.items) {
    const item = sampleValue(root, schema.items, depth + 1)
    return item === undefined ? [] : [item]
  }
  if (type === 'object' || schema.properties) return sampleObject(root, schema, depth)
  if (type === 'integer') return Math.max(7, Math.ceil(schema.minimum ?? 7))
  if (type === 'number') return 7.5
  if (type === 'boolean') return true
  return sampleText(schema)
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
  const properties = Object.assign({}, ...parts.map((part) => part.properties), schema.properties)
  const required = [...parts.flatMap((part) => part.required ?? []), ...(schema.required ?? [])]
  return { ...Object.assign({}, ...parts), ...schema, properties, required, allOf: undefined }
}
