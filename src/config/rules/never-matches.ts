import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { isOfType } from '../../gateway/validation/coerce.ts'

/** Returns why no value can match a schema; undefined for one that some value may match. */
export function neverMatches(schema: unknown): string | undefined {
  if (schema === false) return 'it is false'
  if (!isObject(schema)) return undefined
  return emptyRange(schema) ?? noValue(schema) ?? impossibleProperty(schema) ?? inside(schema)
}

/** Bounds that exclude every value; those of one type only, so the others must be excluded too. */
const RANGES = [
  ['minimum', 'maximum', 0],
  ['minLength', 'maxLength', 0],
  ['minItems', 'maxItems', 0],
  ['minProperties', 'maxProperties', 0],
  ['exclusiveMinimum', 'maximum', 1],
  ['minimum', 'exclusiveMaximum', 1],
  ['exclusiveMinimum', 'exclusiveMaximum', 1],
] as const

function emptyRange(schema: JsonObject): string | undefined {
  const found = RANGES.find(([low, high, open]) => {
    if (!(low in schema && high in schema)) return false
    const room = Number(schema[high]) - Number(schema[low])
    return open === 1 ? room <= 0 : room < 0
  })
  return found && `"${found[0]}" leaves nothing below "${found[1]}"`
}

function noValue({ type, enum: allowed, const: only, ...rest }: JsonObject): string | undefined {
  const values = [
    ...(Array.isArray(allowed) ? [allowed] : []),
    ...(only === undefined ? [] : [[only]]),
  ]
  const [first, second = first] = values
  if (!first || !second) return undefined
  const types = type === undefined ? undefined : [type].flat().map(String)
  const fits = (value: unknown) =>
    second.some((other) => isDeepStrictEqual(value, other)) &&
    (types?.some((one) => isOfType(one, value)) ?? true) &&
    (!('within' in rest || 'host' in rest || 'pattern' in rest) || typeof value === 'string')
  return first.some(fits) ? undefined : 'none of its values fits its other keywords'
}

function impossibleProperty({
  required,
  properties,
  additionalProperties: more,
  ...rest
}: JsonObject) {
  if (!Array.isArray(required)) return undefined
  const known = isObject(properties) ? properties : {}
  for (const name of required.map(String)) {
    if (Object.hasOwn(known, name)) {
      const why = neverMatches(known[name])
      if (why !== undefined) return `"${name}" is required, and ${why}`
    } else if (more === false && !('patternProperties' in rest))
      return `"${name}" is required, and "additionalProperties" excludes it`
  }
  return undefined
}

function inside(schema: JsonObject): string | undefined {
  const { allOf, not } = schema
  if (not === true || (isObject(not) && Object.keys(not).length === 0))
    return '"not" excludes everything'
  const all = Array.isArray(allOf)
    ? allOf.map(neverMatches).find((why) => why !== undefined)
    : undefined
  if (all !== undefined) return all
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = schema[keyword]
    if (Array.isArray(parts) && parts.every((part) => neverMatches(part) !== undefined))
      return `no part of "${keyword}" can match`
  }
  return undefined
}
