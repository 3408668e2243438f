import { clauseDepth, clauseNumber, isNextClause, mayFollow } from '../clause-number.ts'
import { isAdmonition } from '../admonition.ts'
import { BULLET, type PdfStyle, isLarger, isNextLine } from './pdf-style.ts'
import type { PdfLine } from './pdf-lines.ts'

export const MAX_HEADING = 200

/** The lines that are headings, or go on with one, in a document read from its start. */
export function findHeadings(lines: readonly PdfLine[], style: PdfStyle): ReadonlySet<PdfLine> {
  const found = new Set<PdfLine>()
  let clause: string | undefined
  let above: PdfLine | undefined
  for (const line of lines) {
    const number = line.text.length <= MAX_HEADING ? clauseNumber(line.text) : undefined
    if (isHeading(line, { number, clause, style }) || goesOn(above, line, style)) {
      found.add(line)
      clause = number ?? clause
      above = line
    } else above = undefined
  }
  return found
}

interface Context {
  readonly number: string | undefined
  /** The clause of the numbered heading before. */
  readonly clause: string | undefined
  readonly style: PdfStyle
}

/** Larger than the text; or numbered, in another font than the text, and next in the order of clauses. */
function isHeading(line: PdfLine, context: Context): boolean {
  if (line.text.length > MAX_HEADING || isAdmonition(line.text)) return false
  if (!isLarger(line, context.style)) return isSmallHeading(line, context)
  // A heading may be a name set like code; one that is larger and numbered is no code.
  if (context.number !== undefined) return true
  return !line.mono && !/[.;,]$/.test(line.text) && /\p{L}/u.test(line.text)
}

function isSmallHeading(line: PdfLine, { number, clause, style }: Context): boolean {
  const distinct = line.font !== style.bodyFont && line.size >= style.bodySize
  if (number === undefined || !distinct || /[.;,]$/.test(line.text)) return false
  // A term or a reference may be no more than a number in another font.
  const titled = /\p{L}/u.test(line.text.replace(number, ''))
  if (!titled || BULLET.test(line.text)) return false
  if (line.mono) return clause !== undefined && isNextClause(number, clause)
  return clause === undefined || mayFollow(number, clause)
}

/** The second line of a long title, in whatever font. */
function goesOn(above: PdfLine | undefined, line: PdfLine, style: PdfStyle): boolean {
  return (
    above !== undefined &&
    above.page === line.page &&
    isLarger(line, style) &&
    above.size === line.size &&
    isNextLine(above, line)
  )
}

/** A numbered heading says its own depth; another takes the rank of its size. */
export function headingLevel(line: PdfLine, text: string, style: PdfStyle): number {
  const clause = clauseNumber(text)
  if (clause) return Math.min(clauseDepth(clause), 6)
  const rank = style.headingSizes.indexOf(line.size)
  return rank < 0 ? 6 : Math.min(rank + 1, 6)
}
