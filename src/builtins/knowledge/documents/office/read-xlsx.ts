import type { Document } from 'domhandler'
import { posix } from 'node:path'
import { incomplete } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { attribute, childrenNamed, findAll, findFirst } from '../markup/markup.ts'
import { scanMarkup, parsePart } from '../markup/parse-markup.ts'
import { readArchive } from '../markup/read-archive.ts'
import { mainPartOf, relationshipsOf } from '../markup/relationships.ts'
import { decodeText } from '../decode-text.ts'
import { titleFromName } from '../title-from-name.ts'
import { type NumberKind, builtinKind, kindOf, showNumber } from './excel-number.ts'
import { Sheet } from './sheet.ts'

/** The XML parts, except those for drawings, charts, pivot tables, themes and external data. */
const PARTS =
  /^(?!(?:.*\/)?(?:drawings|charts|media|theme|pivot\w*|externalLinks|customXml)\/).*\.(?:xml|rels)$/i

/** Reads an Excel workbook: each sheet becomes a section with a table. */
export async function readXlsx({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const path = await mainPartOf(archive, 'xl/workbook.xml')
  const workbook = await parsePart(archive, path)
  if (!workbook) throw incomplete('has no workbook', 'spreadsheet program', '.xlsx')
  const folder = posix.dirname(path)
  const related = await relationshipsOf(archive, path)
  const partOf = (type: string) => related.ofType(type) ?? posix.join(folder, `${type}.xml`)
  const cells: CellReader = {
    texts: await sharedTexts(archive.get(partOf('sharedStrings'))),
    kinds: numberKinds(await parsePart(archive, partOf('styles'))),
    from1904: /^(?:1|true)$/.test(attribute(findFirst(workbook, 'workbookPr'), 'date1904') ?? ''),
  }
  const sheets: Block[][] = []
  for (const [at, sheet] of findAll(workbook, 'sheet').entries()) {
    const xml = archive.get(
      related.of(sheet) ?? posix.join(folder, `worksheets/sheet${at + 1}.xml`),
    )
    const title = attribute(sheet, 'name') ?? `Sheet ${at + 1}`
    if (xml) sheets.push((await readSheet(title, decodeText(xml), cells)).toBlocks())
  }
  return { title: titleFromName(name), blocks: sheets.flat(), properties: {} }
}

/** Returns the shared strings; cells refer to them by index. */
async function sharedTexts(xml: Uint8Array | undefined): Promise<string[]> {
  const texts: string[] = []
  if (xml) await scanTexts(decodeText(xml), 'si', { found: (text) => texts.push(text) })
  return texts
}

interface TextWatch {
  open?(element: string, attributes: Attributes): void
  found(text: string, attributes: Attributes): void
}

type Attributes = Readonly<Record<string, string>>

/**
 * Reports the text of each element with this name in a stream, because there may be a million of
 * them. Phonetic hints (`rPh`) are left out.
 */
async function scanTexts(xml: string, name: string, watch: TextWatch): Promise<void> {
  let own: Attributes = {}
  let text = ''
  let isText = false
  let isAside = false
  await scanMarkup(xml, {
    open(element, attributes) {
      watch.open?.(element, attributes)
      if (element === name) {
        own = attributes
        text = ''
      }
      if (element === 'rPh') isAside = true
      isText = element === (own['t'] === 'inlineStr' || name === 'si' ? 't' : 'v') && !isAside
    },
    text(piece) {
      if (isText) text += piece
    },
    close(element) {
      isText = false
      if (element === 'rPh') isAside = false
      if (element === name) watch.found(unescaped(text), own)
    },
  })
}

/** Decodes characters that XML does not allow, which are written as `_x000D_`. */
function unescaped(text: string): string {
  return text.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) => {
    const unit = Number.parseInt(code, 16)
    return unit < 0x20 ? ' ' : String.fromCharCode(unit)
  })
}

/** Returns the number kind of each cell style, by style index. */
function numberKinds(styles: Document | undefined): NumberKind[] {
  const formats = styles && findFirst(styles, 'cellXfs')
  if (!formats) return []
  const own = new Map(
    findAll(styles, 'numFmt').map(({ attribs }) => [
      attribs['numFmtId'],
      kindOf(attribs['formatCode'] ?? ''),
    ]),
  )
  return childrenNamed(formats, 'xf').map(({ attribs }) => {
    const id = attribs['numFmtId']
    return own.get(id) ?? builtinKind(Number(id))
  })
}

interface CellReader {
  readonly texts: readonly string[]
  readonly kinds: readonly NumberKind[]
  readonly from1904: boolean
}

async function readSheet(name: string, xml: string, reader: CellReader): Promise<Sheet> {
  const sheet = new Sheet(name)
  let row = 0
  let column = 0
  await scanTexts(xml, 'c', {
    open(element, { r: place }) {
      if (element === 'c') column = columnOf(place) ?? column + 1
      if (element !== 'row') return
      row = Number(place) || row + 1
      column = 0
    },
    found: (text, cell) => sheet.put(row, column, shown(cell, text, reader)),
  })
  return sheet
}

function shown(
  { t: type = 'n', s: style = '0' }: Attributes,
  text: string,
  { texts, kinds, from1904 }: CellReader,
): string {
  if (text === '') return ''
  if (type === 's') return (texts[Number(text)] ?? '').trim()
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n') return text.trim()
  return showNumber(text, kinds[Number(style)] ?? 'number', from1904)
}

/** Returns the column of a cell reference, from 1: `BC7` is in column 55. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}
