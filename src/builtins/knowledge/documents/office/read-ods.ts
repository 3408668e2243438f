import { incomplete } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { type MarkupWatch, scanMarkup } from '../markup/parse-markup.ts'
import { readArchive } from '../markup/read-archive.ts'
import { decodeText } from '../decode-text.ts'
import { titleFromName } from '../title-from-name.ts'
import { Sheet } from './sheet.ts'

const CONTENT = 'content.xml'
const CELLS = new Set(['table-cell', 'covered-table-cell'])
/** Elements that separate the words of a cell. */
const BREAKS = new Set(['p', 'tab', 's', 'line-break'])
/** The largest sheet that any spreadsheet program supports. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
/** A comment on a cell, which is not part of its content. */
const ASIDE = 'annotation'

/** Reads an OpenDocument spreadsheet: each sheet becomes a section with a table. */
export async function readOds({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const xml = (await readArchive(bytes, (path) => path === CONTENT)).get(CONTENT)
  if (!xml) throw incomplete('has no content.xml', 'spreadsheet program', '.ods')
  const sheets = new SheetReader()
  await scanMarkup(decodeText(xml), sheets)
  return { title: titleFromName(name), blocks: sheets.blocks.flat(), properties: {} }
}

type Attributes = Readonly<Record<string, string>>

/** Expands repeated cells and rows, which are stored once with a count. */
class SheetReader implements MarkupWatch {
  readonly blocks: Block[][] = []
  #sheet = new Sheet('')
  #row: { readonly attributes: Attributes; readonly cells: Map<number, string> } = NO_ROW
  #rowAt = 0
  #columnAt = 0
  #cell: Attributes = {}
  #text = ''
  #asides = 0

  open(element: string, attributes: Attributes): void {
    if (element === 'table') {
      this.#sheet = new Sheet(attributes['table:name'] ?? 'Sheet')
      this.#rowAt = 0
    } else if (element === 'table-row') {
      this.#row = { attributes, cells: new Map() }
      this.#columnAt = 0
    } else if (CELLS.has(element)) {
      this.#cell = attributes
      this.#text = ''
    } else if (element === ASIDE) this.#asides += 1
    else if (BREAKS.has(element)) this.text(' ')
  }

  text(piece: string): void {
    if (this.#asides === 0) this.#text += piece
  }

  close(element: string): void {
    if (element === ASIDE) this.#asides -= 1
    else if (CELLS.has(element)) this.#endCell()
    else if (element === 'table-row') this.#endRow()
    else if (element === 'table') this.blocks.push(this.#sheet.toBlocks())
  }

  #endCell(): void {
    const shown = shownIn(this.#cell, this.#text)
    const end = this.#columnAt + timesIn(this.#cell, 'table:number-columns-repeated', MAX_COLUMNS)
    if (shown !== '')
      for (let column = this.#columnAt; column < end; column++) this.#row.cells.set(column, shown)
    this.#columnAt = end
  }

  #endRow(): void {
    const { attributes, cells } = this.#row
    const end = this.#rowAt + timesIn(attributes, 'table:number-rows-repeated', MAX_ROWS)
    if (cells.size > 0)
      for (let row = this.#rowAt; row < end; row++)
        for (const [column, text] of cells) this.#sheet.put(row, column, text)
    this.#rowAt = end
  }
}

const NO_ROW = { attributes: {}, cells: new Map<number, string>() }

/** Returns the value of a cell if it has one, because its text may be rounded. */
function shownIn(cell: Attributes, text: string): string {
  const written = text.replace(/\s+/g, ' ').trim()
  const { 'office:value-type': type } = cell
  if (type === 'float' || type === 'currency' || type === 'percentage')
    return cell['office:value'] ?? written
  if (type === 'date') return cell['office:date-value']?.replace('T', ' ') ?? written
  return written
}

function timesIn(attributes: Attributes, name: string, most: number): number {
  const times = Math.trunc(Number(attributes[name]))
  return times > 1 ? Math.min(times, most) : 1
}
