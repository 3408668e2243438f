import { clauseDepth, clauseNumber } from '../clause-number.ts'
import type { Block } from '../document.ts'
import { pageFurniture, withoutFurniture } from '../page-furniture.ts'
import type { PdfLine } from './pdf-lines.ts'
import { takeTable } from './pdf-table.ts'

const BULLET = /^(?:[•●▪◦–—*-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S/
const MAX_HEADING = 200

interface Style {
  /** The size and font most of the text is set in. */
  readonly bodySize: number
  readonly bodyFont: string
  /** Sizes larger than the body, largest first. */
  readonly headingSizes: readonly number[]
}

export function pdfBlocks(pages: readonly PdfLine[][]): Block[] {
  const isFurniture = pageFurniture(pages.map((lines) => lines.map(({ text }) => text)))
  const lines = pages.flatMap((page) => withoutFurniture(page, ({ text }) => text, isFurniture))
  const style = documentStyle(lines)
  const words = new Set(lines.flatMap(({ text }) => text.toLowerCase().match(/\p{L}+/gu) ?? []))
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const table = takeTable(lines, at, (line) => isHeading(line, style) || BULLET.test(line.text))
    const group = table ? undefined : takeGroup(lines, at, style)
    if (table) blocks.push(table.block)
    else if (group) blocks.push(groupBlock(group, style, words))
    at += table?.taken ?? group?.length ?? 1
  }
  return joinLists(blocks)
}

function documentStyle(lines: readonly PdfLine[]): Style {
  const bodySize = mostCommon(lines, ({ size }) => size) ?? 10
  const body = lines.filter(({ size }) => size === bodySize)
  const larger = lines.map(({ size }) => size).filter((size) => size > bodySize + 0.5)
  return {
    bodySize,
    bodyFont: mostCommon(body, ({ font }) => font) ?? '',
    headingSizes: [...new Set(larger)].toSorted((a, b) => b - a),
  }
}

function mostCommon<Key>(
  lines: readonly PdfLine[],
  keyOf: (line: PdfLine) => Key,
): Key | undefined {
  const weight = new Map<Key, number>()
  for (const line of lines) {
    const key = keyOf(line)
    weight.set(key, (weight.get(key) ?? 0) + line.text.length)
  }
  return [...weight].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

/** Larger than the body; or in another font than the body and numbered like a clause. */
function isHeading(line: PdfLine, style: Style): boolean {
  if (line.mono || line.text.length > MAX_HEADING || /[.;,]$/.test(line.text)) return false
  if (line.size > style.bodySize + 0.5) return /\p{L}/u.test(line.text)
  const distinct = line.font !== style.bodyFont && line.size >= style.bodySize
  return distinct && clauseNumber(line.text) !== undefined && !BULLET.test(line.text)
}

/** The lines from `at` on that belong together: a heading, a paragraph, a list item, code. */
function takeGroup(lines: readonly PdfLine[], at: number, style: Style): PdfLine[] {
  const first = lines[at]
  if (!first) return []
  const group = [first]
  for (let next = at + 1; next < lines.length; next++) {
    const [last, line] = [group.at(-1), lines[next]]
    if (!last || !line || !belongs(last, line, style)) break
    group.push(line)
  }
  return group
}

function belongs(last: PdfLine, line: PdfLine, style: Style): boolean {
  if (line.mono !== last.mono || Math.abs(line.size - last.size) > 0.5) return false
  const heading = isHeading(line, style)
  if (heading !== isHeading(last, style)) return false
  if (heading && clauseNumber(line.text) !== undefined) return false
  if (!line.mono && startsAnew(line)) return false
  return line.page === last.page ? isNextLine(last, line) : runsOverPage(last, line)
}

function startsAnew(line: PdfLine): boolean {
  return BULLET.test(line.text) || line.cells.length > 1
}

function isNextLine(last: PdfLine, line: PdfLine): boolean {
  const gap = last.y - line.y
  return gap > 0 && gap < line.size * 1.75
}

function runsOverPage(last: PdfLine, line: PdfLine): boolean {
  return !line.mono && /^\p{Ll}/u.test(line.text) && !/[.:;!?]$/.test(last.text)
}

function groupBlock(group: readonly PdfLine[], style: Style, words: ReadonlySet<string>): Block {
  const [first] = group
  const last = group.at(-1)
  const page = first?.page ?? 1
  const where = last && last.page !== page ? { page, lastPage: last.page } : { page }
  if (first?.mono) return { kind: 'code', text: monoText(group), ...where }
  const text = joinLines(group, words)
  if (first && isHeading(first, style)) {
    return { kind: 'heading', level: headingLevel(first, text, style), text, ...where }
  }
  if (BULLET.test(text)) return { kind: 'list', items: [text], ...where }
  const caption = /^(?:figure|fig\.|abbildung)\s+[A-Z]?[\d.]+/i.test(text)
  return { kind: caption ? 'figure' : 'paragraph', text, ...where }
}

/** A numbered heading says its own depth; another takes the rank of its size. */
function headingLevel(line: PdfLine, text: string, style: Style): number {
  const clause = clauseNumber(text)
  if (clause) return Math.min(clauseDepth(clause), 6)
  const rank = style.headingSizes.indexOf(line.size)
  return rank < 0 ? 6 : Math.min(rank + 1, 6)
}

function monoText(group: readonly PdfLine[]): string {
  const margin = Math.min(...group.map(({ x }) => x))
  return group
    .map(({ x, size, text }) => ' '.repeat(Math.round((x - margin) / (size * 0.6))) + text)
    .join('\n')
}

/** A word cut at the end of a line is joined when the whole word occurs elsewhere in the document. */
function joinLines(group: readonly PdfLine[], words: ReadonlySet<string>): string {
  return group.reduce((text, line) => {
    const cut = /(\p{L}+)[-\u00AD]$/u.exec(text)
    const rest = /^\p{Ll}+/u.exec(line.text)
    if (!cut || !rest) return text ? `${text} ${line.text}` : line.text
    const whole = `${cut[1]}${rest[0]}`.toLowerCase()
    const softly = text.endsWith('\u00AD') || words.has(whole)
    return (softly ? text.slice(0, -1) : text) + line.text
  }, '')
}

function joinLists(blocks: readonly Block[]): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (block.kind === 'list' && last?.kind === 'list' && last.page === block.page) {
      joined[joined.length - 1] = { ...last, items: [...last.items, ...block.items] }
    } else joined.push(block)
  }
  return joined
}
