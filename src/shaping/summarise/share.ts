import { isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'

/** Shorter values cost less than a reference to them. */
const MIN_LENGTH = 60

/** Replaces repeated values by `{"_ref": n}` and returns the values themselves separately. */
export function shareRepeats(value: unknown): { value: unknown; shared: unknown[] } {
  const seen = new Map<string, number>()
  count(value, seen)
  const shared: unknown[] = []
  const numbers = new Map<string, number>()

  function replace(inner: unknown): unknown {
    if (!Array.isArray(inner) && !isObject(inner)) return inner
    const text = stringifyExact(inner)
    if (text.length >= MIN_LENGTH && (seen.get(text) ?? 0) > 1) {
      let number = numbers.get(text)
      if (number === undefined) {
        number = shared.push(inner) - 1
        numbers.set(text, number)
      }
      return { _ref: number }
    }
    if (Array.isArray(inner)) return inner.map(replace)
    return Object.fromEntries(Object.entries(inner).map(([key, field]) => [key, replace(field)]))
  }

  const hasRepeats = [...seen.values()].some((times) => times > 1)
  return hasRepeats ? { value: replace(value), shared } : { value, shared }
}

/** Counts how often each object or array of sufficient length occurs. */
function count(value: unknown, seen: Map<string, number>): void {
  if (!Array.isArray(value) && !isObject(value)) return
  const text = stringifyExact(value)
  if (text.length < MIN_LENGTH) return
  const times = (seen.get(text) ?? 0) + 1
  seen.set(text, times)
  // Values inside a repeat need not be counted: the whole repeat is replaced.
  if (times === 1) for (const inner of Object.values(value)) count(inner, seen)
}
