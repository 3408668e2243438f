import { clauseNumber } from './clause-number.ts'

/** How many lines at either end of a page may be a running header or footer. */
const EDGE = 2

/**
 * Recognises running headers and footers: lines at the edge of pages that come back on at least half
 * of them (and at least three), page numbers aside.
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

/** Drops furniture from the edges of one page; a line in the middle stays, whatever it says. */
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

/** Numbered headings can look alike on every page, and are never furniture. */
function isClause(line: string): boolean {
  return clauseNumber(line)?.includes('.') === true
}

/** A line, numbers aside: what comes back on other pages. */
export function shape(line: string): string {
  return line.replace(/\d+/g, '#').replace(/\s+/g, ' ').trim()
}
