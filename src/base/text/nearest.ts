/** The most edits between a misspelt name and the one that was meant. */
const MAX_EDITS = 5

export interface NearestOptions {
  /** The most names to return. */
  readonly most?: number
  /** The most edits that still mean the same name; by default a third of its length, up to five. */
  readonly limit?: number
}

/** Returns the names closest to a misspelt one, best first; none when nothing is close. */
export function nearest(
  name: string,
  known: Iterable<string>,
  options: NearestOptions = {},
): string[] {
  const wanted = name.toLowerCase()
  const { most = 3, limit = Math.min(MAX_EDITS, Math.max(1, Math.floor(wanted.length / 3))) } =
    options
  const ranked: { name: string; distance: number }[] = []
  for (const candidate of known) {
    const lower = candidate.toLowerCase()
    const contains = wanted.length > 2 && (lower.includes(wanted) || wanted.includes(lower))
    const distance = contains ? 1 : editDistance(wanted, lower, limit)
    if (distance <= limit) ranked.push({ name: candidate, distance })
  }
  return ranked
    .toSorted((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, most)
    .map((entry) => entry.name)
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const names = nearest(name, known)
  return names.length > 0
    ? `Did you mean ${names.map((one) => `'${one}'`).join(' or ')}?`
    : undefined
}

/**
 * Counts insertions, deletions, replacements and swaps of neighbours; returns `limit + 1` for
 * anything over `limit`. Only cells within `limit` of the diagonal can matter.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: Math.min(b.length, limit) + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    let least = i
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const cost = Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1)
      const lowest = swapped ? Math.min(cost, at(beforeLast, j - 2) + 1) : cost
      row[j] = lowest
      if (lowest < least) least = lowest
    }
    if (least > limit) return limit + 1
    beforeLast = last
    last = row
  }
  return Math.min(at(last, b.length), limit + 1)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
