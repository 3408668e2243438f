import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { lookUp } from '../../../base/json/json-schema.ts'

/** Follows the reference of a path; the fields beside it belong to the path too. */
export function resolvePath(root: JsonObject, value: unknown): unknown {
  const target = resolveRef(root, value)
  if (!isObject(value) || !isObject(target) || target === value) return target
  const { $ref: _, ...beside } = value
  return { ...target, ...beside }
}

/** Follows `$ref`s until something else is found; `undefined` when the reference leads nowhere. */
export function resolveRef(root: JsonObject, value: unknown): unknown {
  let current = value
  for (let hops = 0; hops < 32; hops++) {
    if (!isObject(current) || typeof current['$ref'] !== 'string') return current
    current = lookUp(root, current['$ref'])
  }
  return undefined
}
