import { isObject } from '../protocol/json-rpc.ts'

/** JSON with the fields of every object in one order: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? sorted(inner) : inner)) ?? ''
  )
}

function sorted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(object)
  if (names.length < 2) return object
  return Object.fromEntries(names.toSorted().map((name) => [name, object[name]]))
}
