import { clauseDepth, clauseNumber } from '../clause-number.ts'
import { type Block, pagesOf } from '../document.ts'
import { joinLines } from '../unwrap.ts'

export interface TextLine {
  readonly text: string
  readonly page: number
}

const BULLET = /^\s*(?:[-*•+]|o|\(?[a-z0-9]{1,3}[.)])\s+\S/
const TOC_ENTRY = /(?:\.\s?){4,}\s*\d*$|\s{4,}\d+$/
const DRAWN = /\S {3,}\S|[+|][-=]{2,}|^\s*\||={2,} +={2,}|^>>> /
const RULE = /^([=~*^"'`#+-])\1{2,}$/
/** In reStructuredText, code follows a paragraph that ends in `::`, or a directive. */
const LITERAL = /::$/
const CODE_DIRECTIVE = /^\.\. (?:code-block|code|sourcecode|parsed-literal)::\s*(\S*)/
/** A link target. */
const ANCHOR = /^\.\. _[^:]+:$/
const MAX_HEADING = 120
/** Longer lines are not titles or contents entries, and would make the patterns very slow. */
const MAX_TOC_ENTRY = 300

/** How this text marks its headings. */
interface HeadingStyle {
  /** In RFCs only headings start at the margin, so an unnumbered line there is a heading too. */
  readonly indented: boolean
  /** The characters that underline headings, top level first; if any, only these are headings. */
  readonly underlines: readonly string[]
}

/** Splits plain lines into headings, paragraphs, lists and preformatted text. */
export function textBlocks(lines: readonly TextLine[]): Block[] {
  const found = underlinedGroups(groups(lines))
  const style = { indented: bodyIsIndented(lines), underlines: underlineSigns(found) }
  const blocks: Block[] = []
  for (let at = 0; at < found.length;) {
    const group = found[at++] ?? []
    const opened = opensCode(group)
    if (!opened?.byDirective) blocks.push(...groupBlocks(group, style))
    if (!opened) continue
    const start = at
    while (groupIndent(found[at]) > groupIndent(group)) at++
    if (at > start) blocks.push(codeBlock(spaced(found.slice(start, at)), opened.language))
  }
  return blocks
}

/** Returns how a group marks the indented text below it as code; undefined if it does not. */
function opensCode(
  group: readonly TextLine[],
): { readonly byDirective: boolean; readonly language?: string | undefined } | undefined {
  const directive = CODE_DIRECTIVE.exec(group[0]?.text.trim() ?? '')
  if (directive) return { byDirective: true, language: directive[1] }
  return LITERAL.test(group.at(-1)?.text ?? '') ? { byDirective: false } : undefined
}

function groupIndent(group: readonly TextLine[] = []): number {
  return indentOf(group[0]?.text ?? '')
}

/** Joins the lines of groups, with a blank line between groups. */
function spaced(found: readonly (readonly TextLine[])[]): TextLine[] {
  return found.flatMap((group, at) => {
    const [first] = group
    return at > 0 && first ? [{ ...first, text: '' }, ...group] : group
  })
}

/** Returns the underlined title that a text starts with, if any. */
export function underlinedTitle(lines: readonly TextLine[]): string | undefined {
  const first = groups(lines.slice(0, 60)).find(([line]) => !line?.text.startsWith('.. '))
  return first && asUnderlined(afterHeading(first)[0] ?? [], { underlines: [] })?.text
}

function bodyIsIndented(lines: readonly TextLine[]): boolean {
  const filled = lines.filter(({ text }) => text.length > 40)
  return filled.filter(({ text }) => text.startsWith('   ')).length > filled.length * 0.7
}

/** Groups lines between blank lines; rejoins a paragraph split by a page break. */
function groups(lines: readonly TextLine[]): TextLine[][] {
  const found: TextLine[][] = []
  let current: TextLine[] = []
  for (const line of lines) {
    const last = current.at(-1)
    const turnsPage = last !== undefined && line.page !== last.page
    if (line.text && !(turnsPage && !runsOn(last.text, line.text))) {
      current.push(line)
      continue
    }
    if (current.length > 0) found.push(current)
    current = line.text ? [line] : []
  }
  return current.length > 0 ? [...found, current] : found
}

function runsOn(before: string, after: string): boolean {
  return (
    !/[.:;?!]["')\]]*$/.test(before) && indentOf(before) === indentOf(after) && !BULLET.test(after)
  )
}

/**
 * Separates underlined titles from text that follows without a blank line. Done only if the text
 * starts with such a title, or contains underlined titles set apart by blank lines.
 */
function underlinedGroups(found: readonly (readonly TextLine[])[]): (readonly TextLine[])[] {
  const opens = (found[0] && afterHeading(found[0]).length > 1) ?? false
  return opens || underlineSigns(found).length > 0 ? found.flatMap(afterHeading) : [...found]
}

function afterHeading(group: readonly TextLine[]): (readonly TextLine[])[] {
  for (const length of [2, 3]) {
    const title = group.slice(0, length)
    if (group.length <= length || !underlined(title)) continue
    const drawn = group.some(({ text }) => DRAWN.test(text.trim()))
    return drawn ? [group] : [title, group.slice(length)]
  }
  return [group]
}

/** Returns the underline styles in order of appearance, as reStructuredText ranks them. */
function underlineSigns(found: readonly (readonly TextLine[])[]): string[] {
  const counts = new Map<string, number>()
  for (const group of found) {
    const sign = underlined(group)?.sign
    if (sign) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  }
  return [...counts.keys()]
}

/** Recognises a title that is underlined, or both overlined and underlined. */
function underlined(group: readonly TextLine[]): { title: string; sign: string } | undefined {
  const texts = group.map(({ text }) => text.trim())
  const [title = '', under = ''] = texts.length === 3 ? texts.slice(1) : texts
  const isRule = RULE.test(under) && under.length >= title.length * 0.8
  const fits = texts.length === 2 || (texts.length === 3 && texts[0] === under)
  if (!isRule || !fits || !/\p{L}/u.test(title)) return undefined
  return { title, sign: `${texts.length === 3 ? 'over ' : ''}${under[0]}` }
}

function groupBlocks(group: readonly TextLine[], style: HeadingStyle): Block[] {
  const [first] = group
  if (!first) return []
  const where = pagesOf(group)
  const heading = style.underlines.length > 0 ? asUnderlined(group, style) : asHeading(group, style)
  if (heading) return [{ ...heading, ...where }]
  const texts = group.map(({ text }) => text)
  if (texts.every((text) => ANCHOR.test(text.trim()))) return []
  if (texts.filter(isTocEntry).length > texts.length / 2) {
    return [{ kind: 'list', items: texts.map(withoutLeaders), ...where }]
  }
  if (texts.some((text) => DRAWN.test(text.trim()))) {
    return [codeBlock(group)]
  }
  if (BULLET.test(first.text)) return [{ kind: 'list', items: bulletItems(texts), ...where }]
  return [{ kind: 'paragraph', text: joinLines(texts.map((text) => text.trim())), ...where }]
}

function codeBlock(lines: readonly TextLine[], language = ''): Block {
  const text = dedent(lines.map((line) => line.text))
  return { kind: 'code', text, ...(language && { language }), ...pagesOf(lines) }
}

function asUnderlined(
  group: readonly TextLine[],
  style: Pick<HeadingStyle, 'underlines'>,
): (Block & { kind: 'heading' }) | undefined {
  const found = underlined(group)
  if (!found) return undefined
  const clause = clauseNumber(found.title)
  const rank = style.underlines.indexOf(found.sign) + 1
  const level = Math.min(clause ? clauseDepth(clause) : rank, 6)
  return { kind: 'heading', level, text: withoutRoles(found.title) }
}

/** Returns "heapq" for ":mod:`heapq`" and "``heapq``". */
function withoutRoles(text: string): string {
  if (text.length > MAX_TOC_ENTRY) return text
  return text.replace(/(?::[\w:+.-]+:)?`+([^`]+?)(?:\s*<[^`>]+>)?`+/g, '$1')
}

function asHeading(group: readonly TextLine[], { indented }: HeadingStyle): Block | undefined {
  const text = group.map((line) => line.text.trim()).join(' ')
  const atMargin = indentOf(group[0]?.text ?? '') === 0
  if (!atMargin || group.length > (indented ? 2 : 1) || !mayBeHeading(text)) return undefined
  const clause = clauseNumber(text)
  if (clause && /^\S+\s+.*\p{L}/u.test(text)) {
    return { kind: 'heading', level: Math.min(clauseDepth(clause), 6), text }
  }
  return indented && group.length === 1 && isPlainTitle(text)
    ? { kind: 'heading', level: 1, text }
    : undefined
}

function mayBeHeading(text: string): boolean {
  if (text.length > MAX_HEADING || isTocEntry(text)) return false
  // "A.3.1. Options:" is a title, "1. Check the following:" introduces a list.
  return !(clauseNumber(text)?.includes('.') ? /[,;]$/ : /[,;:]$/).test(text)
}

function isTocEntry(text: string): boolean {
  return text.length <= MAX_TOC_ENTRY && TOC_ENTRY.test(text)
}

/** Whether a line is an unnumbered heading such as "Abstract", not a sentence or two columns. */
function isPlainTitle(text: string): boolean {
  return /^[A-Z]/.test(text) && !text.endsWith('.') && !/\S {3,}\S/.test(text)
}

/** Shortens the dots between a title and its page number, which cost as much as a sentence. */
function withoutLeaders(text: string): string {
  if (text.length > MAX_TOC_ENTRY) return text.trim()
  return text.trim().replace(/\s*(?:\.\s?){4,}\s*/, ' … ')
}

function bulletItems(texts: readonly string[]): string[] {
  const indent = indentOf(texts[0] ?? '')
  const items: string[] = []
  for (const text of texts) {
    if (BULLET.test(text) && indentOf(text) <= indent + 4) items.push(text.trim())
    else items.push(`${items.pop() ?? ''}\n${text.trim()}`)
  }
  return items.map((item) => joinLines([item]))
}

function dedent(texts: readonly string[]): string {
  const filled = texts.filter((text) => text)
  const margin = filled.reduce((least, text) => Math.min(least, indentOf(text)), Infinity)
  return texts.map((text) => text.slice(margin)).join('\n')
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}
