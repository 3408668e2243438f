import { clauseNumber } from './clause-number.ts'

/** The most lines at either end of a page that may be a running header or footer. */
const EDGE = 2

/**
 * Recognises running headers and footers: lines at the edge of a page that, apart from numbers,
 * repeat on at least half of the pages and on at least three.
 */
export function pageFurniture(pages: readonly (readonly string[])[]): (line: string) => boolean {
  const seen = new Map<string, number>()
  for (const page of pages) {
    const lines = [...page.slice(0, EDGE), ...page.slice(-EDGE)]
    const edges = new Set(lines.filter((line) => !isClause(line)).map(shape))
    for (const line of edges) seen.set(line, (seen.get(line) ?? 0) + 1)
  }
  const often = Math.max(3, pages.length / 2)
  const repeated = new Set([...seen].filter(([, count]) => count >= often).map(([line]) => line))
  return (line) => !isClause(line) && repeated.has(shape(line))
}

/** Drops furniture from the edges of one page; lines in the middle always stay. */
export function withoutFurniture<Line>(
  lines: readonly Line[],
  textOf: (line: Line) => string,
  isFurniture: (line: string) => boolean,
): Line[] {
  let start = 0
  let end = lines.length
  const furnished = (at: number) => {
    const line = lines[at]
    return line !== undefined && isFurniture(textOf(line))
  }
  while (start < Math.min(EDGE, end) && furnished(start)) start += 1
  const floor = Math.max(start, lines.length - EDGE)
  while (end > floor && furnished(end - 1)) end -= 1
  return lines.slice(start, end)
}

/** Whether a line is a numbered heading, which is never furniture even if it repeats. */
function isClause(line: string): boolean {
  return clauseNumber(line)?.includes('.') === true
}

/** Replaces the numbers in a line, so that it compares equal to the same line on other pages. */
export function shape(line: string): string {
  return line.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim()
}
