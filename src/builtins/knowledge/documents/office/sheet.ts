import { DocumentError } from '../document-error.ts'
import type { Block } from '../document.ts'

/** What one sheet becomes at most: a few bytes can name a cell in the last of sixteen thousand columns. */
const MOST_CELLS = 4_000_000

/** The cells of a sheet that hold something. */
export class Sheet {
  readonly #name: string
  readonly #rows = new Map<number, Map<number, string>>()
  readonly #columns = new Set<number>()

  constructor(name: string) {
    this.#name = name
  }

  put(row: number, column: number, text: string): void {
    if (text === '') return
    const cells = this.#rows.get(row) ?? new Map<number, string>()
    this.#rows.set(row, cells.set(column, text))
    this.#columns.add(column)
    if (this.#rows.size * this.#columns.size > MOST_CELLS) throw tooLarge(this.#name)
  }

  /** A section with a table. Rows and columns without a word are left out. */
  toBlocks(): Block[] {
    if (this.#rows.size === 0) return []
    const columns = [...this.#columns].toSorted((a, b) => a - b)
    const rows = [...this.#rows.entries()]
      .toSorted(([a], [b]) => a - b)
      .map(([, cells]) => columns.map((column) => cells.get(column) ?? ''))
    const start = columns.length > 1 ? rows.findIndex((row) => !isLine(row)) : 0
    const above = start < 0 ? rows : rows.slice(0, start)
    return [
      { kind: 'heading', level: 2, text: this.#name },
      // What is above the columns is about the table.
      ...above.map((row): Block => ({ kind: 'paragraph', text: row.join('') })),
      ...tableOf(rows.slice(above.length)),
    ]
  }
}

function isLine(row: readonly string[]): boolean {
  return row.filter(Boolean).length === 1
}

/** Its first row is the header, as nearly every sheet has one. */
function tableOf(rows: readonly string[][]): Block[] {
  const [header, ...rest] = rows
  if (header === undefined) return []
  return rest.length > 0
    ? [{ kind: 'table', header, rows: rest }]
    : [{ kind: 'table', header: [], rows: [header] }]
}

function tooLarge(name: string): DocumentError {
  return new DocumentError(
    'too_large',
    `Sheet ${name} spans more than ${MOST_CELLS} cells`,
    'Save the part that matters as a sheet of its own, or as .csv.',
  )
}
