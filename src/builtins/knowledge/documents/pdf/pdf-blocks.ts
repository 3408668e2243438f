import { clauseNumber } from '../clause-number.ts'
import { type Block, joinLists, pagesOf } from '../document.ts'
import { joinChapterLabels } from './pdf-chapter.ts'
import { withoutContents } from './pdf-contents.ts'
import { withoutRunningLines } from './pdf-furniture.ts'
import { MAX_HEADING, findHeadings, headingLevel } from './pdf-headings.ts'
import type { PdfLine } from './pdf-lines.ts'
import { joinLines } from '../unwrap.ts'
import { BULLET, documentStyle, isLarger, isNextLine, type PdfStyle } from './pdf-style.ts'
import { takeTable } from './pdf-table.ts'

const MAX_TERM = 80
/** The least indentation of a definition below its term. */
const INDENT = 8

/** Facts about the whole document that are needed to classify a line. */
interface Context {
  readonly style: PdfStyle
  readonly isHeading: (line: PdfLine) => boolean
  readonly words: Vocabulary
}

/** The words of a document, without the parts of those that a line end cuts. */
interface Vocabulary {
  readonly words: ReadonlySet<string>
  /** Words with a hyphen: "well-known". */
  readonly compounds: ReadonlySet<string>
}

export function pdfBlocks(pages: readonly PdfLine[][]): Block[] {
  const style = documentStyle(pages.flat())
  const text = withoutContents(withoutRunningLines(pages, style.bodySize).flat())
  const lines = continued(joinChapterLabels(text, (line) => isLarger(line, style)))
  const headings = findHeadings(lines, style)
  const context = {
    style,
    isHeading: (line: PdfLine) => headings.has(line),
    words: vocabularyOf(lines),
  }
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const taken = takeBlock(lines, at, context)
    blocks.push(taken.block)
    at += taken.taken
  }
  return joinLists(blocks)
}

/** Marks monospaced lines that continue the sentence of the line above as text, not code. */
function continued(lines: readonly PdfLine[]): PdfLine[] {
  const seen: PdfLine[] = []
  for (const line of lines) {
    const last = seen.at(-1)
    seen.push(last && line.mono && goesOnWith(last, line) ? { ...line, mono: false } : line)
  }
  return seen
}

function goesOnWith(last: PdfLine, line: PdfLine): boolean {
  const together = last.page === line.page && isNextLine(last, line) && last.size === line.size
  return together && !last.mono && line.x - last.x < 1 && /[\p{L}\p{N},-]$/u.test(last.text)
}

interface TakenLines {
  readonly block: Block
  readonly taken: number
}

function takeBlock(lines: readonly PdfLine[], at: number, context: Context): TakenLines {
  const { isHeading } = context
  const table = takeTable(lines, at, (line) => isHeading(line) || BULLET.test(line.text))
  if (table) return table
  const definition = takeDefinition(lines, at, context)
  if (definition) return definition
  const group = takeGroup(lines, at, context)
  return { block: groupBlock(group, context), taken: group.length }
}

/** Returns the lines from `at` on that form a heading, a paragraph, a list item or code. */
function takeGroup(lines: readonly PdfLine[], at: number, context: Context): PdfLine[] {
  const group = lines.slice(at, at + 1)
  for (let next = at + 1; next < lines.length; next++) {
    const [last, line] = [group.at(-1), lines[next]]
    if (!last || !line || !belongs(last, line, context)) break
    group.push(line)
  }
  return group
}

function belongs(last: PdfLine, line: PdfLine, { isHeading }: Context): boolean {
  const heading = isHeading(line)
  if (heading !== isHeading(last) || Math.abs(line.size - last.size) > 0.5) return false
  if (heading && clauseNumber(line.text) !== undefined) return false
  if (!heading && line.mono !== last.mono) return false
  if (!line.mono && startsAnew(line)) return false
  return line.page === last.page ? isNextLine(last, line) : runsOverPage(last, line)
}

function startsAnew(line: PdfLine): boolean {
  return BULLET.test(line.text) || line.cells.length > 1
}

function runsOverPage(last: PdfLine, line: PdfLine): boolean {
  return !line.mono && /^\p{Ll}/u.test(line.text) && !/[.:;!?]$/.test(last.text)
}

/** Takes an entry of a definition list: a term in a font of its own above indented text. */
function takeDefinition(
  lines: readonly PdfLine[],
  at: number,
  context: Context,
): TakenLines | undefined {
  const [term, first] = [lines[at], lines[at + 1]]
  if (!term || !first || !isTerm(term, context) || context.isHeading(first)) return undefined
  if (first.mono || first.x < term.x + INDENT || !isNextLine(term, first)) return undefined
  const meaning = takeGroup(lines, at + 1, context)
  const text = paragraphText(meaning, context.words)
  const where = pagesOf([term, ...meaning])
  return {
    block: { kind: 'list', items: [term.text, `: ${text}`], ...where },
    taken: meaning.length + 1,
  }
}

function isTerm(line: PdfLine, { isHeading, style }: Context): boolean {
  return (
    line.font !== style.bodyFont &&
    line.size >= style.bodySize &&
    line.text.length <= MAX_TERM &&
    !isHeading(line) &&
    !startsAnew(line) &&
    !/[.,;]$/.test(line.text)
  )
}

function groupBlock(group: readonly PdfLine[], { style, isHeading, words }: Context): Block {
  const [first] = group
  const where = pagesOf(group)
  const heading = first !== undefined && isHeading(first)
  if (first?.mono && !heading) return { kind: 'code', text: monoText(group), ...where }
  const text = paragraphText(group, words)
  // Several lines in a large font are text, not a heading.
  if (heading && text.length <= MAX_HEADING)
    return { kind: 'heading', level: headingLevel(first, text, style), text, ...where }
  if (BULLET.test(text)) return { kind: 'list', items: [text], ...where }
  const caption = /^(?:figure|fig\.|abbildung)\s+[A-Z]?[\d.]+/i.test(text)
  return { kind: caption ? 'figure' : 'paragraph', text, ...where }
}

function monoText(group: readonly PdfLine[]): string {
  const margin = Math.min(...group.map(({ x }) => x))
  return group
    .map(({ x, size, text }) => ' '.repeat(Math.round((x - margin) / (size * 0.6))) + text)
    .join('\n')
}

function vocabularyOf(lines: readonly PdfLine[]): Vocabulary {
  let isCut = false
  const whole = lines.map(({ text }) => {
    const rest = isCut ? text.replace(/^\p{L}+/u, '') : text
    isCut = CUT.test(text)
    return rest.replace(CUT, '').toLowerCase()
  })
  return {
    words: new Set(whole.flatMap((text) => text.match(/\p{L}+/gu) ?? [])),
    compounds: new Set(whole.flatMap((text) => text.match(/\p{L}+-\p{L}+/gu) ?? [])),
  }
}

/** The part of a word before a line end. */
const CUT = /(\p{L}+)[-\u00AD]$/u

/** Joins lines, and the words that they cut. */
function paragraphText(group: readonly PdfLine[], words: Vocabulary): string {
  const joined = group.reduce((text, line) => {
    const cut = CUT.exec(text)
    const rest = (cut && isUpper(cut[1] ?? '') ? /^\p{Lu}{2,}|^\p{Ll}+/u : /^\p{Ll}+/u).exec(
      line.text,
    )
    if (!cut || !rest) return text ? `${text}\n${line.text}` : line.text
    const isOne = text.endsWith('\u00AD') || isOneWord(cut[1] ?? '', rest[0], words)
    return (isOne ? text.slice(0, -1) : text) + line.text
  }, '')
  return joinLines([joined])
}

function isUpper(text: string): boolean {
  return text === text.toUpperCase()
}

/** Whether a hyphen at a line end only cuts a word: "hori-zontally", but "machine-readable". */
function isOneWord(start: string, end: string, { words, compounds }: Vocabulary): boolean {
  if (isUpper(start) !== isUpper(end)) return false
  const [a, b] = [start.toLowerCase(), end.toLowerCase()]
  if (compounds.has(`${a}-${b}`)) return false
  return words.has(a + b) || !words.has(a) || !words.has(b)
}
