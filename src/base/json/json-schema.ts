import { decodeUri } from '../text/decode-uri.ts'
import { type JsonObject, isObject } from './json.ts'

/**
 * Returns the value that a local JSON pointer such as `#/components/schemas/Pet` names. A step on
 * the way may itself be a reference: `schemas` may be a `$ref` to a list of them.
 */
export function lookUp(root: JsonObject, ref: string, left = { hops: MAX_HOPS }): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let current: unknown = root
  for (const raw of ref.slice(2).split('/')) {
    const key = decodePointer(raw)
    const elsewhere = isObject(current) && !Object.hasOwn(current, key) && current['$ref']
    if (typeof elsewhere === 'string' && left.hops-- > 0) current = lookUp(root, elsewhere, left)
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

function decodePointer(part: string): string {
  return decodeUri(part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Returns the properties that a caller has to give. Those with a default are left out even if they
 * are listed as required: as zod writes it, that list describes the object after defaults are
 * filled in.
 */
export function requiredNames(root: JsonObject, schema: JsonObject): string[] {
  const { required } = schema
  if (!Array.isArray(required) || required.length === 0) return []
  const optional = defaultedNames(root, schema)
  return required.filter((name) => typeof name === 'string' && !optional.has(name))
}

/** The properties of a schema, and of the schemas it combines, that have a default. */
export function defaultedNames(root: JsonObject, schema: JsonObject): ReadonlySet<string> {
  const parts = combined(root, schema).map((part) => part['properties'])
  const properties = parts.filter(isObject).flatMap((part) => Object.entries(part))
  const defaulted = properties.filter(([, property]) =>
    combined(root, property).some((part) => part['default'] !== undefined),
  )
  return new Set(defaulted.map(([name]) => name))
}

/** More than any schema written by people needs. */
const MAX_COMBINED = 20

/** Returns a schema and all schemas that must also hold, by `$ref` and `allOf`. */
function combined(root: JsonObject, schema: unknown): readonly JsonObject[] {
  const parts = new Set<JsonObject>()
  const waiting = [schema]
  while (waiting.length > 0 && parts.size < MAX_COMBINED) {
    const part = waiting.pop()
    if (!isObject(part) || parts.has(part)) continue
    parts.add(part)
    const { $ref: reference, allOf } = part
    if (typeof reference === 'string') waiting.push(lookUp(root, reference))
    if (Array.isArray(allOf)) for (const inner of allOf) waiting.push(inner)
  }
  return [...parts]
}

const MAX_HOPS = 8

/** Follows local references, at most `MAX_HOPS` of them, so that circles end. */
export function followReference(given: unknown, root: JsonObject): unknown {
  let schema = given
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const reference = isObject(schema) ? schema['$ref'] : undefined
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema
    schema = lookUp(root, reference)
  }
  return undefined
}
