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
  const unplaced = { arguments: given, placed: [] }
  if (!isObject(properties)) return unplaced
  const unknown = Object.entries(given).filter(([name]) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return unplaced
  const homes = homesIn(properties)
  /** The fields of each place, with those that were put there. */
  const filled = new Map<string, JsonObject>()
  const placed = new Map<string, Coercion>()
  for (const [name, value] of unknown) {
    const home = homes.get(name)
    const inside = home === undefined ? undefined : (filled.get(home) ?? given[home] ?? {})
    if (home === undefined || !isObject(inside) || Object.hasOwn(inside, name)) continue
    const own = filled.get(home) ?? { ...inside }
    own[name] = value
    filled.set(home, own)
    placed.set(name, { path: `${home}.${name}`, from: undefined, to: value })
  }
  const rest = Object.entries(given).filter(([name]) => !placed.has(name))
  return placed.size === 0
    ? unplaced
    : {
        arguments: { ...Object.fromEntries(rest), ...Object.fromEntries(filled) },
        placed: [...placed.values()],
      }
}

/** Returns the property that has each field; undefined for a field that several have. */
function homesIn(properties: JsonObject): Map<string, string | undefined> {
  const homes = new Map<string, string | undefined>()
  for (const [home, schema] of Object.entries(properties))
    for (const name of new Set(fieldsOf(schema)))
      homes.set(name, homes.has(name) ? undefined : home)
  return homes
}

function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const { properties, anyOf } = schema
  const own = isObject(properties) ? Object.keys(properties) : []
  return Array.isArray(anyOf) ? [...own, ...anyOf.flatMap(fieldsOf)] : own
}
