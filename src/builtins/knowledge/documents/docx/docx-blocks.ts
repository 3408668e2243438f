import { type ChildNode, type Document, type Element, isTag } from 'domhandler'
import { type Block, joinLists, toTable } from '../document.ts'
import type { Numbering } from './docx-numbering.ts'
import {
  type NumberingRef,
  type ParagraphStyle,
  type ParagraphStyles,
  numberingRef,
  outlineLevel,
} from './docx-styles.ts'
import {
  attribute,
  childElements,
  childNamed,
  findAll,
  findFirst,
  localName,
  rawText,
} from '../markup/markup.ts'

/** Elements that a reader does not see: deleted text, field codes, properties. */
const INVISIBLE = new Set(['del', 'moveFrom', 'instrText', 'delText', 'rPr', 'pPr', 'Fallback'])

const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
}

/** Marks a page break inside a text. */
const PAGE_BREAK = '\f'

export interface DocxBody {
  readonly blocks: Block[]
  /** Undefined where the pages are not known. */
  readonly pageCount: number | undefined
  readonly title: string
}

interface Paragraph {
  readonly text: string
  readonly style: ParagraphStyle
  readonly list: NumberingRef | undefined
  readonly where: { readonly page?: number; readonly lastPage?: number }
}

/** Elements that only group their children. */
const CONTAINERS = new Set(['sdt', 'sdtContent', 'ins', 'customXml', 'smartTag', 'moveTo'])

export interface DocxParts {
  readonly styles: ParagraphStyles
  readonly numbering: Numbering
  readonly notes: DocxNotes
}

export function docxBlocks(body: Element, { styles, numbering, notes }: DocxParts): DocxBody {
  const blocks: Block[] = []
  // Pages are known only if a word processor has laid the text out; manual breaks are not enough.
  const isPaged = findAll(body, 'lastRenderedPageBreak').length > 0
  let page = 1
  let title = ''

  /** Returns an element's text and pages; the first page is the one after leading page breaks. */
  function read(element: Element, note = inline): { text: string; where: Paragraph['where'] } {
    const raw = docxText(element, note)
    const [before = ''] = /^[\s\f]*/.exec(raw) ?? []
    const first = page + count(before)
    page += count(raw)
    const text = raw.replaceAll(PAGE_BREAK, '').trim()
    return { text, where: text ? pages(first, page) : pages(page, page) }
  }

  function inline(reference: Element): string {
    const text = notes(reference)
    return text && ` ${text} `
  }

  function pages(first: number, last: number): Paragraph['where'] {
    if (!isPaged) return {}
    return last > first ? { page: first, lastPage: last } : { page: first }
  }

  function paragraph(element: Element): void {
    const properties = childNamed(element, 'pPr')
    const style = styles(attribute(properties && childNamed(properties, 'pStyle'), 'val'))
    const level = style.title ? 1 : (outlineLevel(properties) ?? style.level)
    // The notes of a heading are text below it.
    const below: string[] = []
    const { text, where } = read(
      element,
      level === undefined ? inline : (reference) => (below.push(notes(reference)), ''),
    )
    for (const described of pictures(element)) {
      blocks.push({ kind: 'figure', text: described, ...where })
    }
    if (!text || style.contents) return
    if (style.title && !title) title = text
    const list = numberingRef(properties) ?? style.numbering
    add({ text, style: { ...style, level }, list, where })
    for (const note of below.filter(Boolean))
      blocks.push({ kind: 'paragraph', text: note, ...where })
  }

  function add({ text, style, list, where }: Paragraph): void {
    const label = list ? numbering(list) : ''
    const numbered = label ? `${label} ${text}` : text
    if (style.level !== undefined) {
      blocks.push({ kind: 'heading', level: style.level, text: numbered, ...where })
    } else if (label) {
      const item = `${'  '.repeat(list?.level ?? 0)}${numbered}`
      blocks.push({ kind: 'list', items: [item], ...where })
    } else if (style.code) addCode(text, where)
    else blocks.push({ kind: style.caption ? 'figure' : 'paragraph', text, ...where })
  }

  function addCode(text: string, where: Paragraph['where']): void {
    const last = blocks.at(-1)
    if (last?.kind === 'code' && last.page === where.page) {
      blocks[blocks.length - 1] = { ...last, text: `${last.text}\n${text}` }
    } else blocks.push({ kind: 'code', text, ...where })
  }

  function table(element: Element): void {
    const before = page
    const rows = grouped(element, 'tr').map((row) => grouped(row, 'tc').map(cellText))
    if (rows.length > 0) blocks.push({ ...toTable(rows), ...pages(before, page) })
  }

  function cellText(cell: Element): string {
    return paragraphsOf(cell)
      .map((inner) => read(inner).text)
      .filter(Boolean)
      .join(' ')
  }

  function visit(element: Element): void {
    const name = localName(element)
    if (name === 'p') paragraph(element)
    else if (name === 'tbl') table(element)
    // Read only for the pages that it takes.
    else if (isContents(element)) read(element)
    else if (CONTAINERS.has(name)) childElements(element).forEach(visit)
  }

  childElements(body).forEach(visit)
  return { blocks: joinLists(blocks), pageCount: isPaged ? page : undefined, title }
}

/** Whether a content control holds a table of contents. */
function isContents(control: Element): boolean {
  const properties = localName(control) === 'sdt' && childNamed(control, 'sdtPr')
  const gallery = properties && findFirst(properties, 'docPartGallery')
  return gallery !== false && attribute(gallery, 'val') === 'Table of Contents'
}

/** Returns the rows of a table or the cells of a row, which content controls may group. */
function grouped(element: Element, name: string): Element[] {
  return childElements(element).flatMap((child) => {
    if (localName(child) === name) return [child]
    return CONTAINERS.has(localName(child)) ? grouped(child, name) : []
  })
}

/** Returns the paragraphs of a cell; those of a text box belong to the paragraph that holds it. */
function paragraphsOf(element: Element): Element[] {
  return childElements(element).flatMap((child) => {
    if (localName(child) === 'p') return [child]
    return INVISIBLE.has(localName(child)) ? [] : paragraphsOf(child)
  })
}

function count(text: string): number {
  return text.split(PAGE_BREAK).length - 1
}

/** Returns the alternative texts of the pictures. */
function pictures(element: Element): string[] {
  return findAll(element, 'docPr').flatMap(({ attribs }) => attribs['descr']?.trim() || [])
}

/** Returns the text of the note that a reference in the text refers to. */
export type DocxNotes = (reference: Element) => string

/** Reads the notes of parts. Each is read once, however many references a hostile file has to it. */
export function docxNotes(parts: readonly (Document | undefined)[]): DocxNotes {
  const texts = new Map<string, string>()
  for (const part of parts) {
    for (const note of part ? [...findAll(part, 'footnote'), ...findAll(part, 'endnote')] : []) {
      const text = docxText(note, () => '')
        .replace(/\s+/g, ' ')
        .trim()
      texts.set(`${localName(note)}Reference ${attribute(note, 'id')}`, text)
    }
  }
  return (reference) => {
    const key = `${localName(reference)} ${attribute(reference, 'id')}`
    const text = texts.get(key) ?? ''
    texts.delete(key)
    return text
  }
}

function docxText(node: ChildNode, note: DocxNotes): string {
  if (!isTag(node)) return ''
  const name = localName(node)
  if (INVISIBLE.has(name)) return ''
  if (name === 't') return rawText(node).replaceAll(PAGE_BREAK, ' ')
  if (name === 'footnoteReference' || name === 'endnoteReference') return note(node)
  if (name === 'lastRenderedPageBreak' || isPageBreak(node)) return PAGE_BREAK
  const text = SIGNS[name] ?? node.children.map((child) => docxText(child, note)).join('')
  // A paragraph in a text box is a line of its own.
  return name === 'p' ? `\n${text}\n` : text
}

/** Whether this is a manual page break; false if Word wrote a rendered break right after it. */
function isPageBreak(element: Element): boolean {
  if (localName(element) !== 'br' || attribute(element, 'type') !== 'page') return false
  const next = element.parent && 'next' in element.parent ? element.parent.next : null
  return !(next && isTag(next) && findAll(next, 'lastRenderedPageBreak').length > 0)
}
