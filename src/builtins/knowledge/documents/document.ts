/** A document of any format: a title and its blocks in reading order. */
export interface KnowledgeDocument {
  readonly title: string
  readonly blocks: readonly Block[]
  /** The number of the last page, for formats that have pages. */
  readonly pageCount?: number
  /** The metadata in the document: front matter, PDF information, EPUB metadata. */
  readonly properties: Readonly<Record<string, string>>
  /** Links out of a web page, for crawling. */
  readonly links?: readonly string[]
}

export type Block = (
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly text: string; readonly language?: string }
  | { readonly kind: 'figure'; readonly text: string }
  | Table
) & {
  readonly page?: number
  /** The last page of a block that spans a page break. */
  readonly lastPage?: number
}

export interface Table {
  readonly kind: 'table'
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Makes a table of rows; the first is its header if others follow. */
export function toTable(rows: readonly (readonly string[])[]): Table {
  const [header = [], ...rest] = rows
  return rest.length > 0
    ? { kind: 'table', header, rows: rest }
    : { kind: 'table', header: [], rows }
}

/** Joins lists that follow each other on a page. */
export function joinLists(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  let items: string[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (block.kind !== 'list') joined.push(block)
    else if (last?.kind === 'list' && last.page === block.page) {
      for (const item of block.items) items.push(item)
    } else {
      items = [...block.items]
      joined.push({ ...block, items })
    }
  }
  return joined
}

/** Returns the pages that the lines of a block are on; text without pages is on page 1. */
export function pagesOf(lines: readonly { readonly page?: number }[]): Pick<Block, 'lastPage'> & {
  readonly page: number
} {
  const page = lines[0]?.page ?? 1
  const lastPage = lines.at(-1)?.page ?? page
  return lastPage === page ? { page } : { page, lastPage }
}

/** The input of a reader: the bytes and the name of a file. */
export interface RawDocument {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Called after each page of a document that is read page by page. */
export type PageWatch = (page: number, pages: number) => void

/** Returns the block of lines of code without empty ones around them; none if all are empty. */
export function codeBlock(lines: readonly string[]): Block | undefined {
  const shown = lines.slice(lines.findIndex(Boolean), lines.findLastIndex(Boolean) + 1)
  return shown.length > 0 ? { kind: 'code', text: shown.join('\n') } : undefined
}

/** Returns a block's text as it is stored: tables as Markdown rows, list items one per line. */
export function blockText(block: Block): string {
  if (block.kind === 'list') return block.items.join('\n')
  if (block.kind === 'table') return tableText(block)
  if (block.kind === 'code') return fenced(block.text, block.language)
  return block.text
}

function tableText(table: Table): string {
  return [...tableHead(table), ...table.rows.map(tableRow)].join('\n')
}

export function tableHead(table: Table): string[] {
  if (table.header.length === 0) return []
  return [tableRow(table.header), `|${' --- |'.repeat(table.header.length)}`]
}

export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

function oneLine(cell: string): string {
  if (!cell.includes('\n')) return cell
  const lines = cell.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).join(' ')
}

function fenced(text: string, language = ''): string {
  const fence = text.includes('```') ? '````' : '```'
  return `${fence}${language}\n${text}\n${fence}`
}
