import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'
import { decodeText } from './decode-text.ts'

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/
/** Lines that open a block and, repeated, close it. */
const FENCE = /^(-{4,}|\.{4,}|`{3,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|\|={3,})(\w*)$/
const CODE = /^(?:-{4,}|\.{4,}|`{3,}|\+{4,})$/
const ITEM = /^\s*(?:\*{1,5}|-|\.{1,5}|\d+\.)\s+\S/
const TERM = /^(\S.*?):{2,4}(?:\s+(.*))?$/
/** Attributes of a block, attributes of the document, titles of blocks, comments, anchors. */
const META = /^(?:\[[^\]]*\]|:!?[\w-]+!?:.*|\/\/.*|\.[^\s.].*|include::.*)$/

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
  for (let at = 0; at < lines.length;) {
    const taken = takeBlock(lines, at)
    const line = (lines[at] ?? '').trimEnd()
    const ends = taken !== undefined || !line || META.test(line)
    if (ends) {
      blocks.push(...textBlock(pending), ...(taken?.blocks ?? []))
      pending = []
    } else pending.push(line)
    at += taken?.length ?? 1
  }
  return [...blocks, ...textBlock(pending)]
}

/** A heading, or what is between fences; undefined for lines of text. */
function takeBlock(
  lines: readonly string[],
  at: number,
): { readonly blocks: readonly Block[]; readonly length: number } | undefined {
  const line = (lines[at] ?? '').trimEnd()
  const heading = HEADING.exec(line)
  if (heading) {
    const [, signs = '', text = ''] = heading
    return { blocks: [{ kind: 'heading', level: signs.length, text }], length: 1 }
  }
  const fence = FENCE.exec(line)?.[1]
  if (!fence) return undefined
  const inside = lines.slice(at + 1)
  const end = inside.findIndex((other) => other.trimEnd() === fence)
  const kept = end < 0 ? inside : inside.slice(0, end)
  return { blocks: fenced(fence, kept), length: kept.length + 2 }
}

/** Between fences: code as it is, a table, or a box whose text is text. */
function fenced(fence: string, inside: readonly string[]): Block[] {
  if (fence.startsWith('/')) return []
  if (fence.startsWith('|')) return tableBlock(inside)
  if (!CODE.test(fence)) return asciidocBlocks(inside)
  const text = inside.join('\n').trimEnd()
  return text ? [{ kind: 'code', text }] : []
}

function textBlock(lines: readonly string[]): Block[] {
  const [first] = lines
  if (first === undefined) return []
  if (lines.every((line) => line.startsWith(' ')) && !ITEM.test(first)) {
    return [{ kind: 'code', text: lines.join('\n') }]
  }
  if (ITEM.test(first)) return [{ kind: 'list', items: gathered(lines, (line) => ITEM.test(line)) }]
  if (TERM.test(first)) return [{ kind: 'list', items: terms(lines) }]
  return [{ kind: 'paragraph', text: lines.map((line) => line.trim()).join(' ') }]
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
  return gathered(lines, (line) => TERM.test(line)).flatMap((item) => {
    const [, term = item, meaning] = TERM.exec(item) ?? /^(.*?):{2,4}\s*(.*)$/.exec(item) ?? []
    return meaning ? [term, `: ${meaning}`] : [term]
  })
}

/** Cells begin with a bar; a blank line or the first line decides how many make a row. */
function tableBlock(lines: readonly string[]): Block[] {
  const filled = lines.filter((line) => line.trim())
  const [first = ''] = filled
  const columns = Math.max(1, cellsOf(first).length)
  const cells = filled.flatMap((line) => (line.startsWith('|') ? cellsOf(line) : []))
  const rows = Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns),
  )
  const [header = [], ...rest] = rows
  return rest.length > 0 ? [{ kind: 'table', header, rows: rest }] : []
}

function cellsOf(line: string): string[] {
  const [, ...cells] = line.split('|')
  return cells.map((cell) => cell.trim())
}
