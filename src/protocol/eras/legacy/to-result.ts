import { stringifyExact } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { withoutField } from '../../raw-text.ts'
import { needsWrapper, wrapSchema } from './wrapped-output.ts'

/**
 * Returns a result as clients of 2025-11-25 and earlier know it: without the fields of later
 * revisions, and with objects as structured content. Other values are wrapped in an object, and so
 * are their schemas, as the official SDK does it.
 */
export function toLegacyResult(
  method: string,
  result: JsonObject,
  outputSchema: () => unknown,
): JsonObject {
  const known = withoutLaterFields(result)
  if (method === 'tools/list') return withLegacyTools(known)
  const { structuredContent } = known
  if (method !== 'tools/call' || structuredContent === undefined) return known
  const isLegacy = isObject(structuredContent) && !needsWrapper(outputSchema())
  return isLegacy ? known : wrapResult(known)
}

/** Returns a definition whose output schema describes an object. */
export function toLegacyTool(definition: JsonObject): JsonObject {
  const { outputSchema } = definition
  return needsWrapper(outputSchema)
    ? { ...definition, outputSchema: wrapSchema(outputSchema) }
    : definition
}

function withLegacyTools(result: JsonObject): JsonObject {
  const { tools } = result
  if (!Array.isArray(tools)) return result
  return { ...result, tools: tools.map((tool: JsonObject) => toLegacyTool(tool)) }
}

/** Wraps the structured content, and repeats it as text if there is none. */
function wrapResult(result: JsonObject): JsonObject {
  const { structuredContent, content } = result
  const blocks: unknown[] = Array.isArray(content) ? content : []
  const hasText = blocks.some((block) => isObject(block) && block['type'] === 'text')
  const text = { type: 'text', text: stringifyExact(structuredContent) }
  return {
    ...result,
    content: hasText || isObject(structuredContent) ? blocks : [...blocks, text],
    structuredContent: { result: structuredContent },
  }
}

const LATER_FIELDS = ['resultType', 'ttlMs', 'cacheScope']

/** Removes what only results of a modern server have. */
function withoutLaterFields(result: JsonObject): JsonObject {
  return result['resultType'] === 'complete' ? LATER_FIELDS.reduce(withoutField, result) : result
}
