import { isObject } from '../../base/json/json.ts'
import { GatewayError } from '../../gateway/errors.ts'

export interface Match {
  /** A line number, or the path of a field. */
  readonly at: number | string
  readonly value: unknown
}

const MAX_MATCHES = 10_000
/** Limited because every line or field is compared with every word. */
const MAX_WORDS = 50
const MAX_CHARACTERS = 1000

/**
 * Returns the lines of a text, or leaves of JSON by name or value, that contain one of the words
 * between `|`. Words are plain and ignore case: a regular expression from outside may never end.
 */
export function grep(data: unknown, pattern: string): Match[] {
  const words = wordsOf(pattern)
  const hit = (text: string) => {
    const lower = text.toLowerCase()
    return words.some((word) => lower.includes(word))
  }
  return typeof data === 'string' ? grepLines(data, hit) : grepLeaves(data, hit)
}

function wordsOf(pattern: string): string[] {
  if (pattern.length > MAX_CHARACTERS)
    throw tooMuch(`${pattern.length} characters; it may have ${MAX_CHARACTERS}`)
  const words = pattern
    .toLowerCase()
    .split('|')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length > MAX_WORDS)
    throw tooMuch(`${words.length} words between "|"; it may have ${MAX_WORDS}`)
  return words
}

function tooMuch(problem: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `grep has ${problem}.`, {
    hint: 'Look for fewer or shorter words, in several calls where all of them are needed.',
  })
}

function grepLines(text: string, hit: (text: string) => boolean): Match[] {
  const matches: Match[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (hit(line)) matches.push({ at: index + 1, value: line })
    if (matches.length >= MAX_MATCHES) break
  }
  return matches
}

/** Iterative, because JSON may be nested deeper than the call stack. */
function grepLeaves(data: unknown, hit: (text: string) => boolean): Match[] {
  const matches: Match[] = []
  const waiting: { path: string; key: string; value: unknown }[] = [
    { path: '', key: '', value: data },
  ]
  for (let next = waiting.pop(); next && matches.length < MAX_MATCHES; next = waiting.pop()) {
    const { path, key, value } = next
    if (Array.isArray(value) || isObject(value)) {
      const inside = Object.entries(value).map(([name, inner]) => ({
        path: Array.isArray(value) ? `${path}[${name}]` : join(path, name),
        key: Array.isArray(value) ? key : name,
        value: inner,
      }))
      for (const entry of inside.toReversed()) waiting.push(entry)
    } else if (hit(key) || hit(String(value))) {
      matches.push({ at: path, value })
    }
  }
  return matches
}

function join(path: string, name: string): string {
  const part = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return path === '' ? part : `${path}.${part}`
}
