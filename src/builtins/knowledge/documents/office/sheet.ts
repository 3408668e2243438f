import { DocumentError } from '../document-error.ts'
import { type Block, toTable } from '../document.ts'

/** The most cells of a sheet's table: a few bytes can name a cell in one of 16,384 columns. */
const MAX_CELLS = 4_000_000

/** The non-empty cells of a sheet. */
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
    if (this.#rows.size * this.#columns.size > MAX_CELLS) throw tooLarge(this.#name)
  }

  /** Returns a section with a table. Empty rows and columns are left out. */
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
      // Leading rows with a single cell are text about the table.
      ...above.map((row): Block => ({ kind: 'paragraph', text: row.join('') })),
      // The first row is the header, because nearly every sheet has one.
      ...(above.length < rows.length ? [toTable(rows.slice(above.length))] : []),
    ]
  }
}

function isLine(row: readonly string[]): boolean {
  return row.filter(Boolean).length === 1
}

function tooLarge(name: string): DocumentError {
  return new DocumentError(
    'too_large',
    `Sheet ${name} spans more than ${MAX_CELLS} cells`,
    'Save the part that matters as a sheet of its own, or as .csv.',
  )
}
