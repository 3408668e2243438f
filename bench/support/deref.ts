import type { JsonObject } from '../../src/base/json/json.ts'
import { object } from '../../src/upstreams/openapi/spec/read-values.ts'

/** What a value of a document says, wherever it says it; nothing where the reference leads nowhere. */
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
