/** The names closest to a misspelt one, best first; none when nothing is close. */
export function nearest(name: string, known: Iterable<string>, most = 3): string[] {
  const wanted = name.toLowerCase()
  const ranked: { name: string; distance: number }[] = []
  for (const candidate of known) {
    const lower = candidate.toLowerCase()
    const contains = lower.includes(wanted) || wanted.includes(lower)
    const limit = Math.max(2, Math.floor(wanted.length / 3))
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

/** Levenshtein distance; anything over `limit` is answered as `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > limit) return limit + 1
    row = next
  }
  return row[b.length] ?? limit + 1
}
