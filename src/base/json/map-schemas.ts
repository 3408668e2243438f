import { type JsonObject, isObject } from './json.ts'

/** Compiling takes up to a millisecond per schema, and more the deeper they are nested. */
const MAX_SCHEMAS = 1_000
const MAX_DEPTH = 50

const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/**
 * Copies a schema and applies `change` to every schema in it, the outermost first. Values of
 * unknown keywords count as schemas, because references may point there. Throws a RangeError if there
 * are more than `maxSchemas`.
 */
export function mapSchemas(
  root: JsonObject,
  change: (schema: JsonObject) => JsonObject,
  maxSchemas = MAX_SCHEMAS,
): JsonObject {
  let count = 0

  function map(node: unknown, depth: number): unknown {
    if (Array.isArray(node)) return node.map((inner) => map(inner, depth + 1))
    return isObject(node) ? mapSchema(node, depth) : node
  }

  function mapSchema(schema: JsonObject, depth: number): JsonObject {
    count += 1
    if (count > maxSchemas || depth > MAX_DEPTH) throw new RangeError('The schema is too large')
    return mapValues(change(schema), (inner, keyword) => {
      if (VALUES.has(keyword)) return inner
      if (!MAPS.has(keyword) || !isObject(inner)) return map(inner, depth + 1)
      return mapValues(inner, (named) => map(named, depth + 1))
    })
  }

  return mapSchema(root, 0)
}

function mapValues(object: JsonObject, to: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, to(value, key)]))
}
