import type { Table } from '../document.ts'
import type { PdfLine } from './pdf-lines.ts'

export interface TakenTable {
  readonly block: Table & { page: number; lastPage?: number }
  readonly taken: number
}

const ALIGNED = 4

/**
 * Takes a table that starts at a line: at least two lines of several cells with aligned starts.
 * A line that fills only some columns continues the cells of the row above it.
 */
export function takeTable(
  lines: readonly PdfLine[],
  at: number,
  isOther: (line: PdfLine) => boolean,
): TakenTable | undefined {
  const first = lines[at]
  if (!first || first.cells.length < 2 || first.mono || isOther(first)) return undefined
  const { rows, taken } = takeRows(lines.slice(at), first, isOther)
  const [header, ...body] = rows
  if (!header || body.length === 0) return undefined
  const page = first.page
  const lastPage = lines[at + taken - 1]?.page ?? page
  return {
    block: {
      kind: 'table',
      header,
      rows: body.filter((row) => !isSame(row, header)),
      page,
      ...(lastPage !== page && { lastPage }),
    },
    taken,
  }
}

function takeRows(
  lines: readonly PdfLine[],
  first: PdfLine,
  isOther: (line: PdfLine) => boolean,
): { rows: string[][]; taken: number } {
  const columns = first.cells.map(({ x }) => x)
  const rows: string[][] = []
  let taken = 0
  for (const line of lines) {
    const cells = line.mono || isOther(line) ? undefined : fit(line, columns)
    if (!cells) break
    const row = rows.at(-1)
    const alone = cells.slice(1).every((cell) => !cell)
    if (alone && !isWrapped(line, lines[taken - 1], columns)) break
    if (row && (alone || !cells[0])) {
      for (const [column, text] of cells.entries()) row[column] = join(row[column], text)
    } else rows.push(cells)
    taken += 1
  }
  return { rows, taken }
}

/** Whether a line in the first column only is close and short enough to continue the cell above. */
function isWrapped(line: PdfLine, above: PdfLine | undefined, columns: readonly number[]): boolean {
  if (!above || above.page !== line.page) return false
  const width = (columns[1] ?? 0) - (columns[0] ?? 0)
  return above.y - line.y < line.size * 1.5 && line.text.length * line.size * 0.45 < width
}

/** Whether a row repeats the header, as it does after a page break. */
function isSame(row: readonly string[], header: readonly string[]): boolean {
  return row.every((cell, column) => cell === header[column])
}

/** Returns the line's cells by column, or undefined if it does not fit these columns. */
function fit(line: PdfLine, columns: readonly number[]): string[] | undefined {
  const cells = columns.map(() => '')
  for (const { x, text } of line.cells) {
    const column = columns.findIndex((start) => Math.abs(start - x) <= ALIGNED)
    if (column < 0) return undefined
    cells[column] = join(cells[column], text)
  }
  return cells
}

function join(before: string | undefined, text: string): string {
  return before && text ? `${before} ${text}` : before || text
}
