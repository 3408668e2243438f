import { stringifyExact } from './exact-json.ts'

/** Some clients show models no more of a line of a result: Kimi Code, for example. */
const MAX_LINE = 2_000
/** Deeper parts stay on one line, so that the work is linear whatever a server has nested. */
const MAX_DEPTH = 4

/**
 * Writes a value as JSON on one line. Where that is too long, each of its parts has a line of its
 * own, which costs a model about one token a part.
 */
export function toLines(value: unknown, depth = MAX_DEPTH): string {
  const text = stringifyExact(value)
  // What has a form of its own in JSON, such as a number in its own digits, is no object to split.
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? '') === Object.prototype
  if (depth === 0 || !isPlain || text === undefined || text.length <= MAX_LINE) return text
  if (Array.isArray(value))
    return `[\n${value.map((part) => toLines(part ?? null, depth - 1)).join(',\n')}\n]`
  const fields = Object.entries(Object(value)).flatMap(([key, part]) => {
    const line = toLines(part, depth - 1)
    return line === undefined ? [] : [`${JSON.stringify(key)}:${line}`]
  })
  return `{\n${fields.join(',\n')}\n}`
}
