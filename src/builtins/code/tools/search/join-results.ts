import type { CodeResult } from '../../engine/search/search-code.ts'

/**
 * Joins the results of several wordings of one question, each best first. A result counts by the
 * wording that it fits best, and the first of each wording is kept.
 */
export function joinResults(
  lists: readonly (readonly CodeResult[])[],
  limit: number,
): readonly CodeResult[] {
  const best = new Map<string, CodeResult>()
  for (const result of lists.flat().toSorted((a, b) => b.score - a.score))
    if (!best.has(placeOf(result))) best.set(placeOf(result), result)
  const firsts = new Set(lists.flatMap(([first]) => (first ? [placeOf(first)] : [])))
  const others = [...best.keys()].filter((place) => !firsts.has(place))
  const kept = new Set([...firsts, ...others.slice(0, Math.max(0, limit - firsts.size))])
  return [...best].flatMap(([place, result]) => (kept.has(place) ? [result] : [])).slice(0, limit)
}

function placeOf({ file_path: path, start_line: line }: CodeResult): string {
  return `${path}:${line}`
}
