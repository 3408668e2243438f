import { parseExact } from '../../base/json/exact-json.ts'
/** Parses a JSON object or array; returns undefined for any other text. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const value = parseExact(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
