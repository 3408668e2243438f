import { type ChildNode, type Document, type Element, isTag, isText } from 'domhandler'
import { type Block, codeBlock, joinLists, toTable } from '../document.ts'
import { childElements, findAll, localName } from '../markup/markup.ts'
import { isCodeStyle } from '../word-styles.ts'
import { OdtNumbering } from './odt-numbering.ts'

/** Elements that only group their children. */
const CONTAINERS = new Set([
  'section',
  'index-body',
  'frame',
  'text-box',
  'custom-shape',
  'numbered-paragraph',
])
/** Elements that only group the rows of a table. */
const ROW_GROUPS = new Set(['table-header-rows', 'table-rows', 'table-row-group'])

/** What the styles of a document say about its text. */
export interface OdfStyles {
  readonly numbering: OdtNumbering
  /** The names of the styles of code, and of titles. */
  readonly code: ReadonlySet<string>
  readonly title: ReadonlySet<string>
}

/** Reads the styles; those of single paragraphs have the name of the style they come from. */
export function odfStyles(parts: readonly Document[]): OdfStyles {
  const styles = parts.flatMap((part) => findAll(part, 'style'))
  const named = (isMeant: (name: string) => boolean) =>
    new Set(
      styles
        .map(({ attribs }) => attribs)
        .filter((own) =>
          [own['style:name'], own['style:parent-style-name']].some(
            (name) => name !== undefined && isMeant(name),
          ),
        )
        .map((own) => own['style:name'] ?? ''),
    )
  return {
    numbering: new OdtNumbering(parts),
    code: named(isCodeStyle),
    title: named((name) => name === 'Title'),
  }
}

/** The list that an item belongs to. */
interface List {
  readonly style: string
  readonly level: number
}

/** Returns the blocks of an element of OpenDocument: a whole text, or a frame on a slide. */
export function odfBlocks(parent: Element, styles: OdfStyles): Block[] {
  const blocks: (Block | undefined)[] = []
  /** Lines of code that follow each other. */
  let code: string[] = []
  for (const element of childElements(parent)) {
    if (styles.code.has(element.attribs['text:style-name'] ?? '') && localName(element) === 'p') {
      code.push(codeText(element).trimEnd())
    } else {
      blocks.push(codeBlock(code))
      code = []
      for (const block of elementBlocks(element, styles)) blocks.push(block)
    }
  }
  return [...blocks, codeBlock(code)].filter((block) => block !== undefined)
}

function elementBlocks(element: Element, styles: OdfStyles): Block[] {
  const { numbering } = styles
  const kind = localName(element)
  if (kind === 'h') return headingBlocks(element, numbering.heading(element, levelOf(element)))
  if (kind === 'p') {
    const isTitle = styles.title.has(element.attribs['text:style-name'] ?? '')
    return isTitle ? headingBlocks(element, '') : paragraphBlock(element)
  }
  if (kind === 'list') return listBlocks(element, numbering)
  if (kind === 'table') return [tableBlock(element)]
  return CONTAINERS.has(kind) ? odfBlocks(element, styles) : []
}

function levelOf(heading: Element): number {
  return Math.min(Math.max(Number(heading.attribs['text:outline-level'] ?? 1), 1), 6)
}

/** Returns a heading; its notes are text below it. */
function headingBlocks(element: Element, label: string): Block[] {
  const text = oneLine(element, 'without notes')
  if (!text) return []
  const notes = findAll(element, 'note-body').map((note) => oneLine(note))
  return [
    { kind: 'heading', level: levelOf(element), text: label ? `${label} ${text}` : text },
    ...notes.filter(Boolean).map((note): Block => ({ kind: 'paragraph', text: note })),
  ]
}

function paragraphBlock(element: Element): Block[] {
  const text = oneLine(element)
  return text ? [{ kind: 'paragraph', text }] : []
}

/** Returns a list; its headings are blocks of their own. */
function listBlocks(list: Element, numbering: OdtNumbering, outer?: List): Block[] {
  const own = {
    style: list.attribs['text:style-name'] ?? outer?.style ?? '',
    level: outer ? outer.level + 1 : 0,
  }
  if (!outer) numbering.begin(own.style, list)
  return joinLists(childElements(list).flatMap((item) => itemBlocks(item, numbering, own)))
}

function itemBlocks(item: Element, numbering: OdtNumbering, list: List): Block[] {
  const children = childElements(item)
  const isLabelled =
    localName(item) !== 'list-header' && children.some((child) => localName(child) !== 'list')
  let label = isLabelled ? numbering.item(list.style, list.level, item) : ''
  return children.flatMap((child): Block[] => {
    const kind = localName(child)
    if (kind === 'list') return listBlocks(child, numbering, list)
    const shown = label
    label = ''
    if (kind === 'h') return headingBlocks(child, shown === '-' ? '' : shown)
    const text = oneLine(child)
    const indent = '  '.repeat(list.level)
    return text ? [{ kind: 'list', items: [`${indent}${shown}${shown && ' '}${text}`] }] : []
  })
}

function tableBlock(table: Element): Block {
  const rows = rowsOf(table).map((row) =>
    childElements(row)
      .filter((cell) => localName(cell).endsWith('table-cell'))
      .map((cell) => oneLine(cell)),
  )
  return toTable(rows)
}

/** Returns the rows of a table, without those of tables in its cells. */
function rowsOf(element: Element): Element[] {
  return childElements(element).flatMap((child) => {
    if (localName(child) === 'table-row') return [child]
    return ROW_GROUPS.has(localName(child)) ? rowsOf(child) : []
  })
}

/** Returns the text in one line, without comments and the marks of notes. */
export function oneLine(
  element: Element,
  notes: 'with notes' | 'without notes' = 'with notes',
): string {
  const silent = notes === 'with notes' ? SILENT : new Set([...SILENT, 'note'])
  return odtText(element, silent).replace(/\s+/g, ' ').trim()
}

const SILENT: ReadonlySet<string> = new Set(['annotation', 'note-citation'])

function odtText(node: ChildNode, silent: ReadonlySet<string>): string {
  if (isText(node)) return node.data
  if (!isTag(node)) return ''
  const kind = localName(node)
  if (kind === 'tab' || kind === 's' || kind === 'line-break') return ' '
  if (silent.has(kind)) return ''
  const text = node.children.map((child) => odtText(child, silent)).join('')
  return kind === 'p' || kind === 'note' ? ` ${text} ` : text
}

/** Returns code with its white space. */
function codeText(node: ChildNode): string {
  if (isText(node)) return node.data
  if (!isTag(node)) return ''
  const kind = localName(node)
  if (kind === 's') return ' '.repeat(spacesIn(node))
  if (kind === 'tab') return '\t'
  if (kind === 'line-break') return '\n'
  return SILENT.has(kind) ? '' : node.children.map(codeText).join('')
}

const MAX_SPACES = 200

/** Returns how many spaces an element stands for: one if it does not say. */
function spacesIn({ attribs }: Element): number {
  return Math.min(Math.max(Number(attribs['text:c'] ?? 1) || 1, 1), MAX_SPACES)
}
