import { type JsonObject, isObject } from '../../base/json.ts'

/** Follows `$ref`s until something else is found; `undefined` when the reference leads nowhere. */
export function resolveRef(root: JsonObject, value: unknown): unknown {
  let current = value
  for (let hops = 0; hops < 32; hops++) {
    if (!isObject(current) || typeof current['$ref'] !== 'string') return current
    current = lookUp(root, current['$ref'])
  }
  return undefined
}

/** The value a local JSON pointer such as `#/components/schemas/Pet` names. */
export function lookUp(root: JsonObject, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let current: unknown = root
  for (const raw of ref.slice(2).split('/')) {
    const key = decodePointer(raw)
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

function decodePointer(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
