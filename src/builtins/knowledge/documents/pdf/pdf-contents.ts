import type { PdfLine } from './pdf-lines.ts'

const TITLE = /^(?:table of )?contents$|^list of (?:figures|tables)$|^inhalt(?:sverzeichnis)?$/i
const LEADERS = /(?:\.\s?){4,}/
const MAX_ENTRY = 300
const FEWEST = 4
/** A long title takes a second line, and a heading of a part is between entries. */
const MAX_BETWEEN = 2

/**
 * Takes tables of contents out: entries that lead to a page number by dots, or under a title that says
 * so by a number in a column of its own. They repeat every heading and say nothing.
 */
export function withoutContents(lines: readonly PdfLine[]): PdfLine[] {
  const kept: PdfLine[] = []
  for (let at = 0; at < lines.length;) {
    const run = entryRun(lines, at)
    const taken = lines.slice(at, at + Math.max(run.length, 1))
    if (!run.isContents) kept.push(...taken)
    at += taken.length
  }
  return kept
}

/** How far what begins here looks like a table of contents, and whether it is one. */
function entryRun(
  lines: readonly PdfLine[],
  at: number,
): { readonly length: number; readonly isContents: boolean } {
  const titled = TITLE.test(lines[at]?.text ?? '')
  if (!titled && !isEntry(lines[at])) return { length: 0, isContents: false }
  const entries = entriesFrom(lines, at)
  const led = entries.filter((entry) => hasLeaders(lines[entry])).length
  const isContents = entries.length >= FEWEST && (titled || led * 3 >= entries.length)
  return { length: (entries.at(-1) ?? at) - at + 1, isContents }
}

/** Where entries stand from here on, until too much else comes between. */
function entriesFrom(lines: readonly PdfLine[], at: number): number[] {
  const entries: number[] = []
  for (let next = at; next < lines.length; next++) {
    if (isEntry(lines[next])) entries.push(next)
    else if (next - (entries.at(-1) ?? at) > MAX_BETWEEN) break
  }
  return entries
}

function isEntry(line: PdfLine | undefined): boolean {
  if (!line || line.text.length > MAX_ENTRY) return false
  if (hasLeaders(line)) return true
  return line.cells.length > 1 && /^(?:\d{1,4}|[ivxlc]{1,8})$/.test(line.cells.at(-1)?.text ?? '')
}

function hasLeaders(line: PdfLine | undefined): boolean {
  return line !== undefined && line.text.length <= MAX_ENTRY && LEADERS.test(line.text)
}
