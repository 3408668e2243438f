import { zipSync } from 'fflate'
import type { Block } from '../../src/builtins/knowledge/documents/document.ts'

export interface DocxOptions {
  readonly title?: string
  /** Word numbers the headings: the text then has no clause numbers, as in real standards. */
  readonly autoNumber?: boolean
  /** Starts every level-2 heading on a new page. */
  readonly breakChapters?: boolean
}

const NS = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
/** As Word writes it: the break, and its position in the last layout of the document. */
const PAGE_BREAK = '<w:r><w:br w:type="page"/></w:r><w:r><w:lastRenderedPageBreak/></w:r>'
const CLAUSE = /^\d+(?:\.\d+)*\s+/

/** Writes blocks as a Word document with heading styles, numbered lists and tables. */
export function writeDocx(blocks: readonly Block[], options: DocxOptions = {}): Uint8Array {
  const body = blocks.map((block) => blockXml(block, options)).join('')
  const files: Record<string, string> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>' +
      '<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>' +
      '<Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/></Types>',
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/_rels/document.xml.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>' +
      '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>',
    'word/document.xml': `<w:document ${NS}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': stylesXml(options),
    'word/numbering.xml': numberingXml(),
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${escape(options.title ?? '')}</dc:title></cp:coreProperties>`,
  }
  const encoded = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const)
  // A fixed time makes the file identical on every run.
  return zipSync(Object.fromEntries(encoded), { mtime: new Date(2024, 0, 1) })
}

function blockXml(block: Block, options: DocxOptions): string {
  if (block.kind === 'heading') return headingXml(block.level, block.text, options)
  if (block.kind === 'table') {
    return `<w:tbl>${[block.header, ...block.rows].map(rowXml).join('')}</w:tbl>`
  }
  if (block.kind === 'list') return block.items.map(itemXml).join('')
  if (block.kind === 'code') {
    return block.text
      .split('\n')
      .map((line) => paragraph(line, style('SourceCode')))
      .join('')
  }
  if (block.kind === 'figure') {
    const alt = /^!\[(.*)\]/.exec(block.text)?.[1] ?? block.text
    return `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="${escape(alt)}"/></wp:inline></w:drawing></w:r></w:p>`
  }
  return paragraph(block.text)
}

function headingXml(level: number, text: string, options: DocxOptions): string {
  const breaks = level === 2 && options.breakChapters ? PAGE_BREAK : ''
  if (level === 1) return paragraph(text, style('Title'))
  const numbered = options.autoNumber && CLAUSE.test(text)
  const plain = options.autoNumber && !numbered
  const off = plain ? '<w:numPr><w:numId w:val="0"/></w:numPr>' : ''
  const shown = numbered ? text.replace(CLAUSE, '') : text
  return paragraph(shown, `<w:pStyle w:val="Heading${level - 1}"/>${off}`, breaks)
}

function itemXml(item: string): string {
  const ordered = /^\s*\d+\.\s/.test(item)
  const list = `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${ordered ? 2 : 3}"/></w:numPr>`
  return paragraph(item.replace(/^\s*(?:[-*]|\d+\.)\s+/, ''), list)
}

function rowXml(cells: readonly string[]): string {
  return `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`
}

function style(id: string): string {
  return `<w:pStyle w:val="${id}"/>`
}

function paragraph(text: string, properties = '', before = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr>${before}<w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`
}

function stylesXml({ autoNumber }: DocxOptions): string {
  const headings = [1, 2, 3, 4].map((level) => {
    const numbering = autoNumber
      ? `<w:numPr><w:ilvl w:val="${level - 1}"/><w:numId w:val="1"/></w:numPr>`
      : ''
    return `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:pPr>${numbering}<w:outlineLvl w:val="${level - 1}"/></w:pPr></w:style>`
  })
  return (
    `<w:styles ${NS}>${headings.join('')}` +
    '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>' +
    '<w:style w:type="paragraph" w:styleId="SourceCode"><w:name w:val="Source Code"/></w:style></w:styles>'
  )
}

function numberingXml(): string {
  const clauses = ['%1', '%1.%2', '%1.%2.%3', '%1.%2.%3.%4'].map((text, at) =>
    levelXml(at, 'decimal', text),
  )
  const lists = [clauses.join(''), levelXml(0, 'decimal', '%1.'), levelXml(0, 'bullet', '•')]
  const abstracts = lists.map(
    (levels, at) => `<w:abstractNum w:abstractNumId="${at + 1}">${levels}</w:abstractNum>`,
  )
  const uses = lists.map(
    (_, at) => `<w:num w:numId="${at + 1}"><w:abstractNumId w:val="${at + 1}"/></w:num>`,
  )
  return `<w:numbering ${NS}>${abstracts.join('')}${uses.join('')}</w:numbering>`
}

function levelXml(at: number, format: string, text: string): string {
  return `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
