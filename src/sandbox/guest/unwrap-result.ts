import { isObject } from '../../base/json/json.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'

/**
 * Returns the value of a tool's result as JSON text: its structured content, else its text parsed
 * as JSON, else the text itself. Several blocks make an array. Numbers keep their digits.
 */
export function unwrapResult(text: string): string {
  const result = parseExact(text)
  if (!isObject(result)) return text
  const { structuredContent, content } = result
  if (isObject(structuredContent)) return stringifyExact(structuredContent)
  if (!Array.isArray(content)) return stringifyExact(result)
  const values = content.map(valueOfBlock)
  const [only] = values
  return values.length === 1 && only !== undefined ? only : `[${values.join(',')}]`
}

function valueOfBlock(block: unknown): string {
  const text = isObject(block) && block['type'] === 'text' ? block['text'] : undefined
  if (typeof text !== 'string') return stringifyExact(block)
  return isJson(text) ? text : JSON.stringify(text)
}

/** Whether a text is a JSON object or array; a number or a word stays a text. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
