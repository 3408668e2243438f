import { isObject } from '../../base/json.ts'

export interface Match {
  /** A line number, or the path of a field. */
  readonly at: number | string
  readonly value: unknown
}

const MOST_MATCHES = 10_000

/**
 * Lines of a text, or leaves of JSON by name or value, that contain one of the words between `|`.
 * Plain words, ignoring case: a regular expression from outside can take for ever.
 */
export function grep(data: unknown, pattern: string): Match[] {
  const words = pattern
    .toLowerCase()
    .split('|')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  const hit = (text: string) => words.some((word) => text.toLowerCase().includes(word))
  return typeof data === 'string' ? grepLines(data, hit) : grepLeaves(data, hit)
}

function grepLines(text: string, hit: (text: string) => boolean): Match[] {
  return text
    .split('\n')
    .flatMap((line, index) => (hit(line) ? [{ at: index + 1, value: line }] : []))
    .slice(0, MOST_MATCHES)
}

/** With a stack of its own: JSON may be nested deeper than calls may. */
function grepLeaves(data: unknown, hit: (text: string) => boolean): Match[] {
  const matches: Match[] = []
  const waiting: { path: string; key: string; value: unknown }[] = [
    { path: '', key: '', value: data },
  ]
  for (let next = waiting.pop(); next && matches.length < MOST_MATCHES; next = waiting.pop()) {
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
