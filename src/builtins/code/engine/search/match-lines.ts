import type { QueryTerm } from '../../../../search/lexical/field.ts'

/** Lines that belong together, such as a signature and what follows it. */
const WINDOW = 5
/** What a word is found by: stems lose their last letter, as in `retri` for "retry". */
const MIN_STEM = 5

/** Lines counted from 0. */
export interface MatchLines {
  readonly best: number
  /** The last line that matches as well as the best. */
  readonly last: number
}

/**
 * Returns where the words of a query are: the best of the five lines that have most of them together.
 * A word on many lines says little. Undefined if no line has any.
 */
export function matchLines(
  lines: readonly string[],
  terms: readonly QueryTerm[],
): MatchLines | undefined {
  const lowered = lines.map((line) => line.toLowerCase())
  const words = terms.map(({ term, weight }) => {
    const part = term.length >= MIN_STEM ? term.slice(0, -1) : term
    const at = lowered.flatMap((line, index) => (line.includes(part) ? [index] : []))
    return { at, weight: weight / Math.max(1, at.length) }
  })
  const weightIn = (first: number, end: number) =>
    words.reduce((sum, { at, weight }) => {
      const isThere = at.some((line) => line >= first && line < end)
      return isThere ? sum + weight : sum
    }, 0)
  const starts = [...new Set(words.flatMap(({ at }) => at))].toSorted((one, other) => one - other)
  const first = bestOf(starts, (line) => weightIn(line, line + WINDOW))
  if (first === undefined) return undefined
  const inWindow = starts.filter((line) => line >= first && line < first + WINDOW)
  const weightOf = (line: number) => weightIn(line, line + 1)
  const best = bestOf(inWindow, weightOf)
  if (best === undefined) return undefined
  return { best, last: starts.findLast((line) => weightOf(line) === weightOf(best)) ?? best }
}

/** Returns the first of the lines with the highest weight. */
function bestOf(lines: readonly number[], weightOf: (line: number) => number): number | undefined {
  let best: number | undefined
  let most = 0
  for (const line of lines) {
    const weight = weightOf(line)
    if (weight > most) [best, most] = [line, weight]
  }
  return best
}
