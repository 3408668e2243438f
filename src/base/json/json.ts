import { ExactNumber, stringifyExact } from './exact-json.ts'

/** A JSON object whose fields belong to others; it is passed on unchanged. */
export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/** Parses a text that is a JSON object; returns undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Writes JSON with the fields of every object sorted, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    stringifyExact(value, (_, inner: unknown) => (isObject(inner) ? sorted(inner) : inner)) ?? ''
  )
}

function sorted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(object)
  if (names.length < 2) return object
  return Object.fromEntries(names.toSorted().map((name) => [name, object[name]]))
}

/** Keeps the first of all objects that have the same value in a field. */
export function uniqueBy(field: string, objects: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<unknown>()
  return objects.filter(({ [field]: value }) => !seen.has(value) && seen.add(value))
}

/** Estimates the memory of a JSON value without writing it; iterative, as JSON may be very deep. */
export function roughBytes(value: unknown, enough = Infinity): number {
  let bytes = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && bytes <= enough) {
    const next = waiting.pop()
    if (typeof next === 'string') {
      bytes += next.length + 16
    } else if (typeof next === 'object' && next !== null) {
      const inside: unknown[] = Array.isArray(next) ? next : Object.values(next)
      bytes += 32 + inside.length * 16
      if (bytes > enough) break
      for (const inner of inside) waiting.push(inner)
    } else {
      bytes += 8
    }
  }
  return bytes
}
