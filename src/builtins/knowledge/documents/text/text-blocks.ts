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
/** What opens code in reStructuredText: a paragraph that ends so, or a directive. */
const LITERAL = /::$/
const CODE_DIRECTIVE = /^\.\. (?:code-block|code|sourcecode|parsed-literal)::\s*(\S*)/
/** The name of a place, for links to it. */
const ANCHOR = /^\.\. _[^:]+:$/
const MAX_HEADING = 120
/** Longer lines are no titles or entries of a table of contents, and would take the patterns for ever. */
const MAX_TOC_ENTRY = 300

/** How this text marks its headings. */
interface HeadingStyle {
  /** In RFCs only headings start at the margin, so an unnumbered line there is a heading too. */
  readonly indented: boolean
  /** The signs that underline headings, outermost first; where there are any, nothing else is a heading. */
  readonly underlines: readonly string[]
}

/** Plain lines into headings, paragraphs, lists and preformatted parts. */
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

/** Whether what is set in below a group is code. */
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

/** The lines of groups, with a blank line between them. */
function spaced(found: readonly (readonly TextLine[])[]): TextLine[] {
  return found.flatMap((group, at) => {
    const [first] = group
    return at > 0 && first ? [{ ...first, text: '' }, ...group] : group
  })
}

/** The title of a text whose headings are underlined, where it opens with one. */
export function underlinedTitle(lines: readonly TextLine[]): string | undefined {
  const first = groups(lines.slice(0, 60)).find(([line]) => !line?.text.startsWith('.. '))
  return first && asUnderlined(afterHeading(first)[0] ?? [], { underlines: [] })?.text
}

function bodyIsIndented(lines: readonly TextLine[]): boolean {
  const filled = lines.filter(({ text }) => text.length > 40)
  return filled.filter(({ text }) => text.startsWith('   ')).length > filled.length * 0.7
}

/** Lines between blank lines; a paragraph cut by a page break is put together again. */
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

/** Text may follow an underlined title at once, in a text that opens with one or sets others apart. */
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

/** The signs of underlined titles in the order they first appear, as reStructuredText ranks them. */
function underlineSigns(found: readonly (readonly TextLine[])[]): string[] {
  const counts = new Map<string, number>()
  for (const group of found) {
    const sign = underlined(group)?.sign
    if (sign) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  }
  return [...counts.keys()]
}

/** A title with a line of one sign under it, or over and under it. */
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

/** ":mod:`heapq`" and "``heapq``" as they are read. */
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
  // "A.3.1. Options:" is a title, "1. Check the following:" opens a list.
  return !(clauseNumber(text)?.includes('.') ? /[,;]$/ : /[,;:]$/).test(text)
}

function isTocEntry(text: string): boolean {
  return text.length <= MAX_TOC_ENTRY && TOC_ENTRY.test(text)
}

/** An unnumbered heading: "Abstract", but not a sentence and not two columns. */
function isPlainTitle(text: string): boolean {
  return /^[A-Z]/.test(text) && !text.endsWith('.') && !/\S {3,}\S/.test(text)
}

/** The dots between a title and its page number say nothing and cost as much as a sentence. */
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
