import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { mapSchemas } from '../../../base/json/map-schemas.ts'

/** Whether clients of 2025 need a wrapper around this output schema, because it allows any value. */
export function needsWrapper(schema: unknown): schema is JsonObject {
  return isObject(schema) && schema['type'] !== 'object'
}

/** Returns the schema of `{ result }`, as the official SDK shows it to clients of 2025. */
export function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema, ...natural } = schema
  // References to the schema itself find it one level deeper.
  const result = mapSchemas(natural, withMovedReferences, Infinity)
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result },
    required: ['result'],
  }
}

function withMovedReferences(schema: JsonObject): JsonObject {
  return { ...schema, ...moved(schema, '$ref'), ...moved(schema, '$dynamicRef') }
}

function moved(schema: JsonObject, keyword: string): JsonObject {
  const reference = schema[keyword]
  const isOwn = typeof reference === 'string' && /^#(?:\/|$)/.test(reference)
  return isOwn ? { [keyword]: `#/properties/result${reference.slice(1)}` } : {}
}
