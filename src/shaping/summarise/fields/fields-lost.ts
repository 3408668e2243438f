import { isObject } from '../../../base/json/json.ts'
import type { SummaryRules } from '../../../protocol/service.ts'

/** Rows of a list are similar, so a few of them show which fields there are. */
const ROWS_LOOKED_AT = 20
const MAX_DEPTH = 8
const MAX_FIELDS = 500

/** Returns the fields of `before` that `after` lacks, reduced to the topmost missing ones. */
export function fieldsLost(
  before: unknown,
  after: unknown,
  { top = [] }: Pick<SummaryRules, 'top'>,
): string[] {
  const left = new Set<string>()
  collect(after, '', left, 0)
  const all = new Set<string>()
  collect(before, '', all, 0)
  // The best entries of these lists and maps are still there, under another name.
  const picked = new Set(top.map(({ field }) => field))
  const lost = [...all].filter((path) => !left.has(path) && !isBelow(path, picked))
  return lost.filter((path) => !lost.some((other) => other !== path && startsBelow(path, other)))
}

function collect(value: unknown, path: string, found: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH || found.size > MAX_FIELDS) return
  if (Array.isArray(value)) {
    for (const each of value.slice(0, ROWS_LOOKED_AT)) collect(each, `${path}[]`, found, depth + 1)
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value).slice(0, MAX_FIELDS)) {
      const at = path === '' ? key : `${path}.${key}`
      if (each === null || each === '') continue
      found.add(at)
      collect(each, at, found, depth + 1)
    }
  }
}

function isBelow(path: string, names: ReadonlySet<string>): boolean {
  return path.split('.').some((part) => names.has(part.replaceAll('[]', '')))
}

function startsBelow(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[]`)
}
