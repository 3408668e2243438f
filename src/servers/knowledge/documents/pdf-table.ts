import type { Table } from './document.ts'
import type { PdfLine } from './pdf-lines.ts'

export interface TakenTable {
  readonly block: Table & { page: number; lastPage?: number }
  readonly taken: number
}

const ALIGNED = 4

/**
 * A table starting at a line: at least two lines of several cells whose starts line up.
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
    if (cells[0] || !row) rows.push(cells)
    else for (const [column, text] of cells.entries()) row[column] = join(row[column], text)
    taken += 1
  }
  return { rows, taken }
}

/** A table that runs over a page break repeats its header there; once is enough. */
function isSame(row: readonly string[], header: readonly string[]): boolean {
  return row.every((cell, column) => cell === header[column])
}

/** The line's cells by column, or undefined where it does not stand in these columns. */
function fit(line: PdfLine, columns: readonly number[]): string[] | undefined {
  const cells = columns.map(() => '')
  for (const { x, text } of line.cells) {
    const column = columns.findIndex((start) => Math.abs(start - x) <= ALIGNED)
    if (column < 0) return undefined
    cells[column] = join(cells[column], text)
  }
  const onlyFirst = cells.slice(1).every((cell) => !cell)
  return onlyFirst ? undefined : cells
}

function join(before: string | undefined, text: string): string {
  return before && text ? `${before} ${text}` : before || text
}
