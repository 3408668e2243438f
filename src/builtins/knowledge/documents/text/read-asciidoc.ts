import { type Block, type KnowledgeDocument, type RawDocument, toTable } from '../document.ts'
import { titleOf } from '../title-from-name.ts'
import { joinLines } from '../unwrap.ts'
import { decodeText } from '../decode-text.ts'

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/
/** Delimiter lines; the same line opens and closes a block. */
const FENCE = /^(-{4,}|\.{4,}|`{3,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|\|={3,})(\w*)$/
const CODE = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})$/
const ITEM = /^\s*(?:\*{1,5}|-|\.{1,5}|\d+\.)\s+\S/
const TERM = /^(\S.*?):{2,4}(?:\s+(.*))?$/
/** Block attributes, document attributes, comments, anchors, includes. */
const META = /^(?:\[\[?[^[\]]*\]?\]|:!?[\w-]+!?:.*|\/\/.*|include::.*)$/
const MAX_SPAN = 200
const BLOCK_TITLE = /^\.([^\s.].*)$/
/** The characters that underline titles, top level first. */
const UNDERLINES = '=-~^+'
const UNDERLINE = /^([=~^+-])\1+$/
/** The bar that starts a cell, with the span and alignment before it. */
const CELL =
  /(?:(?<=^|\s)(?:(\d{1,3})?(?:\.\d{1,3})?[+*])?[<^>]?(?:\.[<^>])?[adehlms]?)?(?<!\\)\|/gm

/** Reads AsciiDoc: sections, paragraphs, lists, terms, tables, code. Does not follow includes. */
export async function readAsciidoc({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const lines = decodeText(bytes).replaceAll('\r\n', '\n').split('\n')
  const blocks = asciidocBlocks(lines)
  return { title: titleOf(name, blocks), blocks, properties: {} }
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

interface LineContext {
  /** The attribute line above. */
  readonly attributes: string
  /** Whether a block may start here, because the line above is not text. */
  readonly opens: boolean
}

interface TakenLines {
  readonly blocks: readonly Block[]
  readonly length: number
}

/** Takes a title or a delimited block; undefined for lines of text. */
function takeBlock(
  lines: readonly string[],
  at: number,
  { attributes, opens }: LineContext,
): TakenLines | undefined {
  const line = (lines[at] ?? '').trimEnd()
  const title = takeHeading(line) ?? (opens ? takeTitle(line, lines[at + 1]) : undefined)
  const fence = FENCE.exec(line)?.[1]
  if (title || !fence) return title
  let end = at + 1
  while (end < lines.length && lines[end]?.trimEnd() !== fence) end++
  const inside = lines.slice(at + 1, end)
  return { blocks: fenced(fence, inside, attributes), length: inside.length + 2 }
}

function takeHeading(line: string): TakenLines | undefined {
  const [, signs = '', text = ''] = HEADING.exec(line) ?? []
  return signs ? { blocks: [{ kind: 'heading', level: signs.length, text }], length: 1 } : undefined
}

/** Takes an underlined heading, or the title of the next block. */
function takeTitle(line: string, under = ''): TakenLines | undefined {
  const level = underlinedLevel(line, under.trimEnd())
  if (level > 0) return { blocks: [{ kind: 'heading', level, text: line }], length: 2 }
  const text = BLOCK_TITLE.exec(line)?.[1]
  return text ? { blocks: [{ kind: 'paragraph', text }], length: 1 } : undefined
}

/** Returns the level of a title whose underline is about as long as it; 0 for other lines. */
function underlinedLevel(line: string, under: string): number {
  const sign = UNDERLINE.exec(under)?.[1]
  if (!sign || !/^[^\s[.:/].*\p{L}|^\p{L}/u.test(line)) return 0
  return Math.abs(line.length - under.length) <= 2 ? UNDERLINES.indexOf(sign) + 1 : 0
}

/** Converts a delimited block: to nothing for a comment, to a table, to code, or to its text. */
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

/** Converts "term:: meaning" to the form of the other readers: the term, then ": meaning". */
function terms(lines: readonly string[]): string[] {
  return gathered(lines, (line) => TERM.test(line.trim())).flatMap((item) => {
    const [, term = item, meaning] = TERM.exec(item) ?? /^(.*?):{2,4}\s*(.*)$/.exec(item) ?? []
    return meaning ? [term, `: ${meaning}`] : [term]
  })
}

/** Reads a table whose cells start with a bar; `cols` or the first line sets the column count. */
function tableBlock(lines: readonly string[], attributes: string): Block[] {
  const first = lines.find((line) => line.trim()) ?? ''
  const columns = columnsOf(attributes) ?? Math.max(1, cellsOf(first).length)
  const text = lines.join('\n').trim()
  const cells = cellsOf(text)
  // `format=csv` or a separator of its own: no bar starts a cell.
  if (cells.length === 0) return text ? [{ kind: 'code', text }] : []
  const rows = Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns),
  )
  return [toTable(rows)]
}

/** Returns the column count of `cols`: 2 for "1,2a", 4 for "3*,<.^1". */
function columnsOf(attributes: string): number | undefined {
  const cols = /\bcols="?([^"\]]+)/.exec(attributes)?.[1]
  const counts = cols?.split(/[,;]/).map((part) => Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1))
  return counts?.reduce((sum, count) => sum + count, 0)
}

/** Splits a text into cells; a cell that spans columns or has a repeat count is repeated. */
function cellsOf(text: string): string[] {
  const bars = [...text.matchAll(CELL)]
  return bars.flatMap(({ index, 0: bar, 1: count }, at) => {
    const cell = text.slice(index + bar.length, bars[at + 1]?.index).trim()
    const times = Math.min(Number(count ?? 1), MAX_SPAN)
    return Array.from({ length: times }, () => cell.replaceAll('\\|', '|'))
  })
}
