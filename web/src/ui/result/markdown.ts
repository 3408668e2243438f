/** A part of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly content: readonly Inline[] }
  | {
      readonly kind: 'list'
      readonly ordered: boolean
      readonly items: readonly (readonly Inline[])[]
    }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

const FENCE = /^\s{0,3}(```+|~~~+)/
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const RULE = /^\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/
const QUOTE = /^\s{0,3}>\s?/
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

/**
 * Reads the Markdown that tools write: headings, lists, tables, code, quotes, emphasis and links.
 * Servers choose the text, so that pictures and HTML stay text, and only web addresses are links.
 */
export function readMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at += 1
      continue
    }
    const [block, next] = readBlock(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}

type Reader = (lines: readonly string[], at: number) => [Block, number] | undefined

/** The first that takes the line reads the block; the last takes every line. */
const READERS: readonly Reader[] = [
  readCode,
  readHeading,
  (lines, at) => (RULE.test(lines[at] ?? '') ? [{ kind: 'rule' }, at + 1] : undefined),
  readTable,
  readList,
  readQuote,
  readParagraph,
]

function readBlock(lines: readonly string[], at: number): [Block, number] {
  for (const read of READERS) {
    const found = read(lines, at)
    if (found) return found
  }
  return [{ kind: 'rule' }, at + 1]
}

function readCode(lines: readonly string[], at: number): [Block, number] | undefined {
  const fence = FENCE.exec(lines[at] ?? '')?.[1]
  if (fence === undefined) return undefined
  const end = lines.findIndex((other, n) => n > at && other.trim().startsWith(fence))
  const until = end === -1 ? lines.length : end
  return [{ kind: 'code', text: lines.slice(at + 1, until).join('\n') }, until + 1]
}

function readHeading(lines: readonly string[], at: number): [Block, number] | undefined {
  const [, marks = '', text = ''] = HEADING.exec(lines[at] ?? '') ?? []
  if (marks === '') return undefined
  return [{ kind: 'heading', level: marks.length, content: readInline(text) }, at + 1]
}

function readQuote(lines: readonly string[], at: number): [Block, number] | undefined {
  const end = endOf(lines, at, (line) => QUOTE.test(line))
  if (end === at) return undefined
  const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ''))
  return [{ kind: 'quote', content: readInline(quoted.join('\n')) }, end]
}

function readParagraph(lines: readonly string[], at: number): [Block, number] {
  const end = endOf(lines, at, (line, n) => n === at || !beginsBlock(line))
  return [{ kind: 'paragraph', content: readInline(lines.slice(at, end).join('\n')) }, end]
}

function beginsBlock(line: string): boolean {
  return line.trim() === '' || [FENCE, HEADING, RULE, ITEM, QUOTE].some((mark) => mark.test(line))
}

function endOf(
  lines: readonly string[],
  from: number,
  belongs: (line: string, at: number) => boolean,
): number {
  let end = from
  while (end < lines.length && belongs(lines[end] ?? '', end)) end += 1
  return end
}

function readList(lines: readonly string[], at: number): [Block, number] | undefined {
  if (!ITEM.test(lines[at] ?? '')) return undefined
  const ordered = ITEM.exec(lines[at] ?? '')?.[1] !== undefined
  const items: string[] = []
  let end = at
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    const item = ITEM.exec(line)
    if (item) items.push(item[2] ?? '')
    else if (line.trim() !== '' && /^\s/.test(line))
      items.push(`${items.pop() ?? ''} ${line.trim()}`)
    else break
  }
  return [{ kind: 'list', ordered, items: items.map(readInline) }, end]
}

function readTable(lines: readonly string[], at: number): [Block, number] | undefined {
  const [first = '', divider = ''] = lines.slice(at, at + 2)
  if (!first.includes('|') || !DIVIDER.test(divider)) return undefined
  const end = endOf(lines, at + 2, (line) => line.includes('|'))
  const [head = [], ...rows] = [first, ...lines.slice(at + 2, end)].map((line) =>
    line
      .trim()
      .replace(/^\|/, '')
      .replace(/(?<!\\)\|$/, '')
      .split(/(?<!\\)\|/)
      .map((cell) => readInline(cell.trim().replaceAll(String.raw`\|`, '|'))),
  )
  return [{ kind: 'table', head, rows }, end]
}

const INLINE =
  /`([^`]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|(?<!!)\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>()[\]`"']+[^\s<>()[\]`"'.,;:!?])/g

/** A line this long is data, and searching it for marks would take long. */
const MAX_LINE = 20_000

export function readInline(text: string): Inline[] {
  if (text.length > MAX_LINE) return [{ kind: 'text', text }]
  const parts: Inline[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) })
    const [, code, strong, bold, em, label, href, bare] = found
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (href !== undefined) parts.push({ kind: 'link', text: label ?? href, href })
    else if (bare !== undefined) parts.push({ kind: 'link', text: bare, href: bare })
    else if (em !== undefined) parts.push({ kind: 'em', text: em })
    else parts.push({ kind: 'strong', text: strong ?? bold ?? '' })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** Whether a text has marks of Markdown, rather than being plain. */
export function isMarkdown(text: string): boolean {
  return (
    /^(?:#{1,6}\s|\s*(?:[-*+]|\d+[.)])\s|\s*\|.*\||```|>\s)/m.test(text) ||
    /\*\*[^*\n]+\*\*|\]\(https?:/.test(text)
  )
}
