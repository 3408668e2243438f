import { type JsonObject, isObject } from '../../base/json/json.ts'
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
  const fits = (member: unknown) => member === null || types.some((one) => isOfType(one, member))
  if (allowed.every(fits)) return schema
  if (types.includes('array') && !allowed.some(Array.isArray)) {
    const { enum: _, ...rest } = schema
    return { ...rest, items: { ...(isObject(items) && items), enum: allowed } }
  }
  const aligned = allowed.map((member: unknown) =>
    fits(member)
      ? member
      : types.map((one) => convert(one, member)).find((one) => one !== undefined),
  )
  if (!aligned.includes(undefined)) return { ...schema, enum: aligned }
  // A member cannot be converted to the type, so the type is removed.
  const { type: _, ...rest } = schema
  return rest
}
