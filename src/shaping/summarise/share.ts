import { isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'

/** Shorter ones cost less than the reference to them. */
const SHORTEST = 60

/** Replaces values that occur several times by `{"_ref": n}`; the values themselves come beside. */
export function shareRepeats(value: unknown): { value: unknown; shared: unknown[] } {
  const seen = new Map<string, number>()
  count(value, seen)
  const shared: unknown[] = []
  const numbers = new Map<string, number>()

  function replace(inner: unknown): unknown {
    if (!Array.isArray(inner) && !isObject(inner)) return inner
    const text = stringifyExact(inner)
    if (text.length >= SHORTEST && (seen.get(text) ?? 0) > 1) {
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

/** Counts how often each long enough object and array occurs. */
function count(value: unknown, seen: Map<string, number>): void {
  if (!Array.isArray(value) && !isObject(value)) return
  const text = stringifyExact(value)
  if (text.length < SHORTEST) return
  const times = (seen.get(text) ?? 0) + 1
  seen.set(text, times)
  // What is inside a repeat is repeated with it.
  if (times === 1) for (const inner of Object.values(value)) count(inner, seen)
}
