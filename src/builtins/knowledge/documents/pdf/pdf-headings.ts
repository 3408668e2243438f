import { clauseDepth, clauseNumber, isNextClause, mayFollow } from '../clause-number.ts'
import { isAdmonition } from '../admonition.ts'
import { BULLET, type PdfStyle, isLarger, isNextLine } from './pdf-style.ts'
import type { PdfLine } from './pdf-lines.ts'

export const MAX_HEADING = 200

/** Returns the lines that are headings or continue one; `lines` are those of a whole document. */
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
  /** The clause of the previous numbered heading. */
  readonly clause: string | undefined
  readonly style: PdfStyle
}

/** Whether a line is larger than the text, or numbered in clause order and in another font. */
function isHeading(line: PdfLine, context: Context): boolean {
  if (line.text.length > MAX_HEADING || isAdmonition(line.text)) return false
  if (!isLarger(line, context.style)) return isSmallHeading(line, context)
  // A heading may be a monospaced name; a line that is larger and numbered is not code.
  if (context.number !== undefined) return true
  return !line.mono && !/[.;,]$/.test(line.text) && /\p{L}/u.test(line.text)
}

function isSmallHeading(line: PdfLine, { number, clause, style }: Context): boolean {
  const distinct = line.font !== style.bodyFont && line.size >= style.bodySize
  if (number === undefined || !distinct || /[.;,]$/.test(line.text)) return false
  // A number alone in another font may be a term or a reference.
  const titled = /\p{L}/u.test(line.text.replace(number, ''))
  if (!titled || BULLET.test(line.text)) return false
  if (line.mono) return clause !== undefined && isNextClause(number, clause)
  return clause === undefined || mayFollow(number, clause)
}

/** Whether a line continues a long title, in any font. */
function goesOn(above: PdfLine | undefined, line: PdfLine, style: PdfStyle): boolean {
  return (
    above !== undefined &&
    above.page === line.page &&
    isLarger(line, style) &&
    above.size === line.size &&
    isNextLine(above, line)
  )
}

/** Returns the depth of a numbered heading's clause, otherwise the rank of the heading's size. */
export function headingLevel(line: PdfLine, text: string, style: PdfStyle): number {
  const clause = clauseNumber(text)
  if (clause) return Math.min(clauseDepth(clause), 6)
  const rank = style.headingSizes.indexOf(line.size)
  return rank < 0 ? 6 : Math.min(rank + 1, 6)
}
