import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Coercion } from './check-arguments.ts'

/**
 * Puts fields that were given at the top level where the schema has them, when there is only one
 * such place: `{ name }` becomes `{ body: { name } }`. Models often flatten the body of a request.
 */
export function placeFields(
  { properties }: JsonObject,
  given: JsonObject,
): { readonly arguments: JsonObject; readonly placed: readonly Coercion[] } {
  if (!isObject(properties)) return { arguments: given, placed: [] }
  const placed: Coercion[] = []
  let args = given
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(properties, name)) continue
    const homes = Object.keys(properties).filter((home) => hasField(properties[home], name))
    const [home, ...others] = homes
    const inside = home === undefined ? undefined : (args[home] ?? {})
    if (home === undefined || others.length > 0) continue
    if (!isObject(inside) || Object.hasOwn(inside, name)) continue
    const { [name]: _, ...rest } = args
    args = { ...rest, [home]: { ...inside, [name]: value } }
    placed.push({ path: `${home}.${name}`, from: undefined, to: value })
  }
  return { arguments: args, placed }
}

function hasField(schema: unknown, name: string): boolean {
  if (!isObject(schema)) return false
  const { properties, anyOf } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return true
  return Array.isArray(anyOf) && anyOf.some((each) => hasField(each, name))
}
