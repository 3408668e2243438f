import { type JsonObject, isObject } from '../../base/json/json.ts'
import { followReference } from '../../base/json/json-schema.ts'
import { convert, isOfType } from './coerce.ts'

/**
 * Returns a schema whose `enum` agrees with its `type`. Descriptions often have `type: string` with
 * unquoted numbers of a YAML file, or list under an array what its items may be: taken literally,
 * no value would be valid.
 */
export function alignEnum(schema: JsonObject): JsonObject {
  const { type, enum: allowed, items } = schema
  if (!Array.isArray(allowed) || type === undefined) return schema
  const types = [type].flat().map(String)
  const fits = (member: unknown) => isOfAny(types, member)
  if (allowed.every(fits)) return schema
  if (types.includes('array') && !allowed.some(Array.isArray)) {
    const { enum: _, ...rest } = schema
    return { ...rest, items: { ...(isObject(items) && items), enum: allowed } }
  }
  const aligned = allowed.map((member: unknown) => (fits(member) ? member : toAny(types, member)))
  if (!aligned.includes(undefined)) return { ...schema, enum: aligned }
  // A member cannot be converted to the type, so the type is removed.
  const { type: _, ...rest } = schema
  return rest
}

/**
 * Returns a schema whose `type` agrees with its alternatives. Descriptions write `type: array` beside
 * an alternative that is an object: taken literally, that alternative would never be valid.
 */
export function alignType(root: JsonObject, schema: JsonObject): JsonObject {
  const { type, anyOf, oneOf } = schema
  const parts: unknown[] = [anyOf, oneOf].filter(Array.isArray).flat()
  if (type === undefined || parts.length === 0) return schema
  const types = new Set([type].flat())
  const isNumeric = types.has('number') || types.has('integer')
  const others = parts.flatMap((part) => {
    const target = followReference(part, root)
    return isObject(target) && target['type'] !== undefined ? target['type'] : []
  })
  const missing = others.filter((other) => !types.has(other) && !(isNumeric && NUMERIC.has(other)))
  return missing.length === 0 ? schema : { ...schema, type: [...types, ...new Set(missing)] }
}

const NUMERIC: ReadonlySet<unknown> = new Set(['number', 'integer'])

/** Returns the default of a schema, in its type where it can be converted to that. */
export function defaultOf({ type, default: initial }: JsonObject): unknown {
  if (type === undefined || initial === undefined) return initial
  const types = [type].flat().map(String)
  return isOfAny(types, initial) ? initial : (toAny(types, initial) ?? initial)
}

function isOfAny(types: readonly string[], value: unknown): boolean {
  return value === null || types.some((one) => isOfType(one, value))
}

function toAny(types: readonly string[], value: unknown): unknown {
  return types.map((one) => convert(one, value)).find((one) => one !== undefined)
}

/** Fills in what the server would: a condition must not be judged by less than the call means. */
export function withDefaults({ properties }: JsonObject, args: JsonObject): JsonObject {
  if (!isObject(properties)) return args
  const missing = Object.entries(properties).flatMap(([name, schema]) => {
    if (Object.hasOwn(args, name) || !isObject(schema)) return []
    const value = defaultOf(schema)
    return value === undefined ? [] : [[name, value] as const]
  })
  return missing.length === 0 ? args : { ...args, ...Object.fromEntries(missing) }
}
