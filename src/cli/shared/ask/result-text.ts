import { stringifyExact } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'

/** Returns the blocks of a result as text; blocks without text as JSON. */
export function resultText({ content }: JsonObject): string {
  return (Array.isArray(content) ? content : [])
    .map((block: unknown) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : stringifyExact(block),
    )
    .join('\n')
}
