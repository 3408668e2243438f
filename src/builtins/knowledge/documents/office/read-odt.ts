import { type Element, isTag, isText } from 'domhandler'
import type { ChildNode } from 'domhandler'
import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { childElements, childNamed, findFirst, innerText, localName } from '../markup.ts'
import { parsePart } from '../parse-markup.ts'
import { readArchive } from '../read-archive.ts'
import { titleFromName } from '../title-from-name.ts'

const PARTS = /^(?:content|meta)\.xml$/
/** Elements that only group their children. */
const CONTAINERS = new Set([
  'section',
  'index-body',
  'frame',
  'text-box',
  'custom-shape',
  'list',
  'list-item',
  'list-header',
  'numbered-paragraph',
])
/** Elements that only group the rows of a table. */
const ROW_GROUPS = new Set(['table-header-rows', 'table-rows', 'table-row-group'])

/** Reads an OpenDocument text. Pages depend on how it is printed, so the blocks have none. */
export async function readOdt({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const content = await parsePart(archive, 'content.xml')
  // Searched from `body`, because number and date formats also contain `text` elements.
  const within = content && findFirst(content, 'body')
  const body = within && childNamed(within, 'text')
  if (!body) {
    throw new DocumentError(
      'malformed',
      'The file has no content.xml with a text',
      'Open it in a word processor and save it again as .odt.',
    )
  }
  const blocks = bodyBlocks(body)
  const meta = await parsePart(archive, 'meta.xml')
  const titled = meta && findFirst(meta, 'title')
  const heading = blocks.find((block) => block.kind === 'heading')
  const title = (titled && innerText(titled)) || heading?.text || titleFromName(name)
  return { title, format: 'odt', blocks, properties: {} }
}

function bodyBlocks(body: Element): Block[] {
  return childElements(body).flatMap((element): Block[] => {
    const kind = localName(element)
    if (kind === 'h') return headingBlock(element)
    if (kind === 'p') return paragraphBlock(element)
    // A list that contains a numbered heading is read as a container.
    if (kind === 'list' && !findFirst(element, 'h'))
      return [{ kind: 'list', items: listItems(element, '') }]
    if (kind === 'table') return [tableBlock(element)]
    return CONTAINERS.has(kind) ? bodyBlocks(element) : []
  })
}

function headingBlock(element: Element): Block[] {
  const level = Number(element.attribs['text:outline-level'] ?? 1)
  const text = oneLine(element)
  return text ? [{ kind: 'heading', level: Math.min(Math.max(level, 1), 6), text }] : []
}

function paragraphBlock(element: Element): Block[] {
  const text = oneLine(element)
  return text ? [{ kind: 'paragraph', text }] : []
}

function listItems(list: Element, indent: string): string[] {
  return childElements(list).flatMap((item) => {
    const bullet = localName(item) === 'list-header' ? '' : '- '
    return childElements(item).flatMap((child) => {
      if (localName(child) === 'list') return listItems(child, `${indent}  `)
      const text = oneLine(child)
      return text ? [`${indent}${bullet}${text}`] : []
    })
  })
}

function tableBlock(table: Element): Block {
  const rows = rowsOf(table).map((row) =>
    childElements(row)
      .filter((cell) => localName(cell).endsWith('table-cell'))
      .map((cell) => oneLine(cell)),
  )
  const [header = [], ...rest] = rows
  return rest.length > 0
    ? { kind: 'table', header, rows: rest }
    : { kind: 'table', header: [], rows }
}

/** Returns the rows of a table, without those of tables in its cells. */
function rowsOf(element: Element): Element[] {
  return childElements(element).flatMap((child) => {
    if (localName(child) === 'table-row') return [child]
    return ROW_GROUPS.has(localName(child)) ? rowsOf(child) : []
  })
}

/** Returns the text in one line, with that of notes but without note marks and comments. */
function oneLine(element: Element): string {
  return odtText(element).replace(/\s+/g, ' ').trim()
}

function odtText(node: ChildNode): string {
  if (isText(node)) return node.data
  if (!isTag(node)) return ''
  const kind = localName(node)
  if (kind === 'tab' || kind === 's' || kind === 'line-break') return ' '
  if (kind === 'annotation' || kind === 'note-citation') return ''
  const text = node.children.map(odtText).join('')
  return kind === 'p' || kind === 'note' ? ` ${text} ` : text
}
