import type { PdfLine } from './pdf-lines.ts'

const TITLE = /^(?:table of )?contents$|^list of (?:figures|tables)$|^inhalt(?:sverzeichnis)?$/i
const LEADERS = /(?:\.\s?){4,}/
const MAX_ENTRY = 300
const MIN_ENTRIES = 4
/** The most lines between two entries: the second line of a long title, or a part heading. */
const MAX_BETWEEN = 2

/**
 * Removes tables of contents, which only repeat the headings: entries with dot leaders, or entries
 * below a title such as "Contents" that end in a page number in a column of its own.
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

/** Measures the lines from `at` on that look like a table of contents and decides if they are. */
function entryRun(
  lines: readonly PdfLine[],
  at: number,
): { readonly length: number; readonly isContents: boolean } {
  const titled = TITLE.test(lines[at]?.text ?? '')
  if (!titled && !isEntry(lines[at])) return { length: 0, isContents: false }
  const entries = entriesFrom(lines, at)
  const led = entries.filter((entry) => hasLeaders(lines[entry])).length
  const isContents = entries.length >= MIN_ENTRIES && (titled || led * 3 >= entries.length)
  return { length: (entries.at(-1) ?? at) - at + 1, isContents }
}

/** Returns the positions of the entries from `at` on, until too many other lines intervene. */
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
