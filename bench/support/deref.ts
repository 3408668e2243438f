import type { JsonObject } from '../../src/base/json/json.ts'
import { object } from '../../src/upstreams/openapi/spec/read-values.ts'

/** Resolves the references of a value; returns an empty object if one has no target. */
export function deref(root: JsonObject, value: unknown): JsonObject {
  let current = object(value)
  for (let hops = 0; hops < 20 && typeof current.$ref === 'string'; hops++) {
    if (!current.$ref.startsWith('#/')) return {}
    const keys = current.$ref.slice(2).split('/')
    current = object(keys.reduce<unknown>((at, key) => object(at)[unescaped(key)], root))
  }
  return current
}

function unescaped(key: string): string {
  return decodeURIComponent(key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
