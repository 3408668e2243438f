import { stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import { HIDDEN } from '../../base/secrets/secrets.ts'
import { compilePattern } from '../../base/text/glob.ts'
import { lineDiff } from '../../base/text/line-diff.ts'
import type { MatchRules, RecordedCall } from './tape.ts'

/** Whether a value that was recorded and one that is given now count as the same. */
export type Compare = (recorded: unknown, given: unknown) => boolean

/** How a date with a time begins, as in ISO 8601. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

export function createCompare({ ignore, times }: MatchRules): Compare {
  const ignored = ignore.map(compilePattern)
  const isIgnored = (path: string) => path !== '' && ignored.some((matches) => matches(path))

  const isSameText = (recorded: string, given: string) =>
    recorded === given ||
    (times && TIME.test(recorded) && TIME.test(given)) ||
    fitsHidden(recorded, given)

  function isSame(recorded: unknown, given: unknown, path: string): boolean {
    if (isIgnored(path)) return true
    if (typeof recorded === 'string' && typeof given === 'string')
      return isSameText(recorded, given)
    if (Array.isArray(recorded) && Array.isArray(given)) {
      if (recorded.length !== given.length) return false
      return recorded.every((part, at) => isSame(part, given[at], within(path, String(at))))
    }
    if (isObject(recorded) && isObject(given)) {
      const names = new Set([...Object.keys(recorded), ...Object.keys(given)])
      return [...names].every((name) => isSame(recorded[name], given[name], within(path, name)))
    }
    return stringifyExact(recorded) === stringifyExact(given)
  }
  return (recorded, given) => isSame(recorded, given, '')
}

/** Whether two requests are the same, apart from what may differ in their arguments. */
export function isSameRequest(recorded: JsonObject, given: JsonObject, compare: Compare): boolean {
  const [{ arguments: before, ...rest }, { arguments: now, ...others }] = [recorded, given]
  return canonicalJson(rest) === canonicalJson(others) && compare(before ?? {}, now ?? {})
}

/** Returns the recorded call that differs least, and how; undefined if there is none at all. */
export function nearestCall(
  calls: readonly RecordedCall[],
  given: JsonObject,
): { readonly call: RecordedCall; readonly diff: readonly string[] } | undefined {
  const now = readable(given)
  const compared = calls
    .slice(0, MAX_COMPARED)
    .map((call) => ({ call, diff: lineDiff(readable(call.params), now, 1) }))
  return compared.toSorted((one, other) => changes(one.diff) - changes(other.diff))[0]
}

/** Comparing texts takes time, and the nearest of so many is near enough. */
const MAX_COMPARED = 200

function changes(diff: readonly string[]): number {
  return diff.filter((line) => /^[+-]/.test(line)).length
}

function readable(params: JsonObject): string {
  return JSON.stringify(JSON.parse(canonicalJson(params)), undefined, 1)
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** Whether a text fits a recorded one in which secrets are hidden: each stands for any text. */
function fitsHidden(recorded: string, given: string): boolean {
  if (!recorded.includes(HIDDEN)) return false
  const [first = '', ...rest] = recorded.split(HIDDEN)
  const last = rest.pop() ?? ''
  if (!given.startsWith(first) || !given.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = given.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= given.length - last.length
}
