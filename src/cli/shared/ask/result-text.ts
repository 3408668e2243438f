import { stringifyExact } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'

/** The blocks of a result as text; what is no text is shown as JSON. */
export function resultText({ content }: JsonObject): string {
  return (Array.isArray(content) ? content : [])
    .map((block: unknown) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : stringifyExact(block),
    )
    .join('\n')
}
