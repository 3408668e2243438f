import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'
import { joinLines } from '../unwrap.ts'
import { decodeText } from './decode-text.ts'

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/
/** Lines that open a block and, repeated, close it. */
const FENCE = /^(-{4,}|\.{4,}|`{3,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|\|={3,})(\w*)$/
const CODE = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})$/
const ITEM = /^\s*(?:\*{1,5}|-|\.{1,5}|\d+\.)\s+\S/
const TERM = /^(\S.*?):{2,4}(?:\s+(.*))?$/
/** Attributes of a block, attributes of the document, comments, anchors. */
const META = /^(?:\[\[?[^[\]]*\]?\]|:!?[\w-]+!?:.*|\/\/.*|include::.*)$/
const MAX_SPAN = 200
const BLOCK_TITLE = /^\.([^\s.].*)$/
/** Lines that make a title of the line above, outermost first. */
const UNDERLINES = '=-~^+'
const UNDERLINE = /^([=~^+-])\1+$/
/** Before the bar of a cell: how far it spans, how it is set. */
const CELL =
  /(?:(?<=^|\s)(?:(\d{1,3})?(?:\.\d{1,3})?[+*])?[<^>]?(?:\.[<^>])?[adehlms]?)?(?<!\\)\|/gm

/** AsciiDoc: sections, paragraphs, lists, terms, tables and code; includes are not followed. */
export async function readAsciidoc({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const lines = decodeText(bytes).replaceAll('\r\n', '\n').split('\n')
  const blocks = asciidocBlocks(lines)
  const heading = blocks.find((block) => block.kind === 'heading')
  return { title: heading?.text ?? titleFromName(name), format: 'asciidoc', blocks, properties: {} }
}

function asciidocBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let pending: string[] = []
  let attributes = ''
  for (let at = 0; at < lines.length;) {
    const taken = takeBlock(lines, at, { attributes, opens: pending.length === 0 })
    const line = (lines[at] ?? '').trimEnd()
    const isMeta = META.test(line)
    if (taken || !line || isMeta) {
      blocks.push(...textBlock(pending), ...(taken?.blocks ?? []))
      pending = []
      attributes = isMeta ? line : ''
    } else pending.push(line)
    at += taken?.length ?? 1
  }
  return [...blocks, ...textBlock(pending)]
}

interface Place {
  /** The line of attributes above. */
  readonly attributes: string
  /** Whether a block may open here: the line above is no text. */
  readonly opens: boolean
}

interface Taken {
  readonly blocks: readonly Block[]
  readonly length: number
}

/** A title, or what stands between fences; undefined for lines of text. */
function takeBlock(
  lines: readonly string[],
  at: number,
  { attributes, opens }: Place,
): Taken | undefined {
  const line = (lines[at] ?? '').trimEnd()
  const title = takeHeading(line) ?? (opens ? takeTitle(line, lines[at + 1]) : undefined)
  const fence = FENCE.exec(line)?.[1]
  if (title || !fence) return title
  let end = at + 1
  while (end < lines.length && lines[end]?.trimEnd() !== fence) end++
  const inside = lines.slice(at + 1, end)
  return { blocks: fenced(fence, inside, attributes), length: inside.length + 2 }
}

function takeHeading(line: string): Taken | undefined {
  const [, signs = '', text = ''] = HEADING.exec(line) ?? []
  return signs ? { blocks: [{ kind: 'heading', level: signs.length, text }], length: 1 } : undefined
}

/** A heading with a line of signs under it, or the title of the block that follows. */
function takeTitle(line: string, under = ''): Taken | undefined {
  const level = underlinedLevel(line, under.trimEnd())
  if (level > 0) return { blocks: [{ kind: 'heading', level, text: line }], length: 2 }
  const text = BLOCK_TITLE.exec(line)?.[1]
  return text ? { blocks: [{ kind: 'paragraph', text }], length: 1 } : undefined
}

/** The level of a title with a line of signs under it that is about as long; 0 for other lines. */
function underlinedLevel(line: string, under: string): number {
  const sign = UNDERLINE.exec(under)?.[1]
  if (!sign || !/^[^\s[.:/].*\p{L}|^\p{L}/u.test(line)) return 0
  return Math.abs(line.length - under.length) <= 2 ? UNDERLINES.indexOf(sign) + 1 : 0
}

/** Between fences: code as it is, a table, or a box whose text is text. */
function fenced(fence: string, inside: readonly string[], attributes: string): Block[] {
  if (fence.startsWith('/')) return []
  if (fence.startsWith('|')) return tableBlock(inside, attributes)
  if (!CODE.test(fence)) return asciidocBlocks(inside)
  const text = inside.join('\n').trimEnd()
  return text ? [{ kind: 'code', text }] : []
}

function textBlock(lines: readonly string[]): Block[] {
  const [first] = lines
  if (first === undefined) return []
  const isTerms = TERM.test(first.trim())
  if (lines.every((line) => line.startsWith(' ')) && !ITEM.test(first) && !isTerms) {
    return [{ kind: 'code', text: lines.join('\n') }]
  }
  if (ITEM.test(first)) return [{ kind: 'list', items: gathered(lines, (line) => ITEM.test(line)) }]
  if (isTerms) return [{ kind: 'list', items: terms(lines) }]
  return [{ kind: 'paragraph', text: joinLines(lines.map((line) => line.trim())) }]
}

function gathered(lines: readonly string[], starts: (line: string) => boolean): string[] {
  const items: string[] = []
  for (const line of lines) {
    if (starts(line) || items.length === 0) items.push(line.trim())
    else if (line.trim() !== '+') items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

/** "term:: meaning" as the other readers give it: the term, and its meaning after a colon. */
function terms(lines: readonly string[]): string[] {
  return gathered(lines, (line) => TERM.test(line.trim())).flatMap((item) => {
    const [, term = item, meaning] = TERM.exec(item) ?? /^(.*?):{2,4}\s*(.*)$/.exec(item) ?? []
    return meaning ? [term, `: ${meaning}`] : [term]
  })
}

/** Cells begin with a bar; the attribute `cols` or the first line decides how many make a row. */
function tableBlock(lines: readonly string[], attributes: string): Block[] {
  const first = lines.find((line) => line.trim()) ?? ''
  const columns = columnsOf(attributes) ?? Math.max(1, cellsOf(first).length)
  const cells = cellsOf(lines.join('\n'))
  const rows = Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns),
  )
  const [header = [], ...rest] = rows
  return rest.length > 0 ? [{ kind: 'table', header, rows: rest }] : []
}

/** "1,2a" and "3*,<.^1" as numbers of columns. */
function columnsOf(attributes: string): number | undefined {
  const cols = /\bcols="?([^"\]]+)/.exec(attributes)?.[1]
  const counts = cols?.split(/[,;]/).map((part) => Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1))
  return counts?.reduce((sum, count) => sum + count, 0)
}

/** Cells that span several columns, or are repeated, are repeated. */
function cellsOf(text: string): string[] {
  const bars = [...text.matchAll(CELL)]
  return bars.flatMap(({ index, 0: bar, 1: count }, at) => {
    const cell = text.slice(index + bar.length, bars[at + 1]?.index).trim()
    const times = Math.min(Number(count ?? 1), MAX_SPAN)
    return Array.from({ length: times }, () => cell.replaceAll('\\|', '|'))
  })
}
