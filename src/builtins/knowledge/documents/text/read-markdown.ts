import type { MarkedToken, Token, Tokens } from 'marked'
import { parse as parseYaml } from 'yaml'
import { decodeText } from '../decode-text.ts'
import { type Block, type KnowledgeDocument, type RawDocument, blockText } from '../document.ts'
import { parseMarkup } from '../markup/parse-markup.ts'
import { titleFromName } from '../title-from-name.ts'
import { unwrap } from '../unwrap.ts'

export async function readMarkdown({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const { properties, body } = splitFrontMatter(decodeText(bytes).replaceAll('\r\n', '\n'))
  const blocks = await markdownBlocks(body)
  const headings = blocks.filter((block) => block.kind === 'heading')
  const first = headings.find(({ level }) => level === 1) ?? headings[0]
  return {
    title: properties['title'] ?? first?.text ?? titleFromName(name),
    blocks,
    properties,
  }
}

/**
 * Keeps the source text of each block, so that links and emphasis are preserved. Inline parsing
 * takes quadratic time, so it is done only where it is needed and the text is short.
 */
export async function markdownBlocks(text: string): Promise<Block[]> {
  const { Lexer } = await import('marked')
  const lexer = new Lexer()
  const inside: Inside = (source) =>
    source.length > MAX_INSIDE_LENGTH ? [] : lexer.inlineTokens(source)
  const blocks: Block[] = []
  for (const token of lexer.blockTokens(flattenNesting(text)).filter(isStandard)) {
    blocks.push(...(token.type === 'html' ? await markupBlocks(token) : toBlocks(token, inside)))
  }
  return blocks
}

/** Drops comments, converts HTML with headings or tables to blocks, and keeps other HTML as is. */
async function markupBlocks({ raw }: { readonly raw: string }): Promise<Block[]> {
  const text = raw.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim()
  if (!/<(?:h[1-6]|table)\b/i.test(text)) return text ? [{ kind: 'paragraph', text }] : []
  const { htmlBlocks } = await import('../html/html-blocks.ts')
  const blocks = htmlBlocks(await parseMarkup(text), { isFurniture: () => false })
  return blocks.filter((block) => /[\p{L}\p{N}]/u.test(blockText(block)))
}

/** Parses the inline elements of a block. */
type Inside = (source: string) => readonly Token[]

const MAX_INSIDE_LENGTH = 2_000

/** The deepest nesting of quotes and lists; the parser reads each level again with its content. */
const MAX_NESTING = 20

function flattenNesting(text: string): string {
  return text.split('\n').map(flattenLine).join('\n')
}

function flattenLine(line: string): string {
  let levels = 0
  let at = 0
  for (; at < line.length && MARKERS.includes(line.charAt(at)); at++) {
    // A marker without a space after it, as in a line of dashes, does not nest.
    if (line[at] === ' ' || (line[at] !== '>' && line[at + 1] !== ' ')) continue
    if (++levels > MAX_NESTING) break
  }
  if (levels <= MAX_NESTING) return line
  let rest = at
  while (rest < line.length && MARKERS.includes(line.charAt(rest))) rest++
  return `${line.slice(0, at)}${line.slice(rest)}`
}

const MARKERS = ' >-*+'

/** Narrows the type: only extensions, which are not used here, create other tokens. */
function isStandard(token: Token): token is MarkedToken {
  return typeof token.type === 'string'
}

function toBlocks(token: MarkedToken, inside: Inside): Block[] {
  switch (token.type) {
    case 'space':
    case 'hr':
      return []
    case 'heading':
      return [{ kind: 'heading', level: token.depth, text: plainText(token.text, inside) }]
    case 'code':
      return [{ kind: 'code', text: token.text, ...(token.lang && { language: token.lang }) }]
    case 'table':
      return [tableBlock(token)]
    case 'list':
      return [{ kind: 'list', items: token.items.map((item) => unwrap(item.raw.trimEnd())) }]
    case 'paragraph':
      return [paragraphBlock(token, inside)]
    default:
      return token.raw.trim() ? [{ kind: 'paragraph', text: token.raw.trim() }] : []
  }
}

function paragraphBlock({ text, raw }: Tokens.Paragraph, inside: Inside): Block {
  const parts = text.startsWith('![') ? inside(text) : []
  const onlyImage = parts.length === 1 && parts[0]?.type === 'image'
  return { kind: onlyImage ? 'figure' : 'paragraph', text: unwrap(raw.trim()) }
}

function tableBlock({ header, rows }: Tokens.Table): Block {
  return {
    kind: 'table',
    header: header.map((cell) => cell.text),
    rows: rows.map((row) => row.map((cell) => cell.text)),
  }
}

/** Returns the text of a heading without markup. */
function plainText(text: string, inside: Inside): string {
  const parts = inside(text)
  return parts.length === 0 ? text : parts.map(plain).join('')
}

function plain(token: Token): string {
  if ('tokens' in token && token.tokens && token.tokens.length > 0) {
    return token.tokens.map(plain).join('')
  }
  return 'text' in token ? String(token.text) : token.raw
}

function splitFrontMatter(text: string): { properties: Record<string, string>; body: string } {
  const found = /^---\n([\s\S]*?)\n(?:---|\.\.\.)(?:\n|$)/.exec(text)
  if (!found) return { properties: {}, body: text }
  const values = readYaml(found[1] ?? '')
  if (!values) return { properties: {}, body: text }
  return { properties: values, body: text.slice(found[0].length) }
}

/** Parses front matter; undefined if it is not a mapping, so that it stays part of the text. */
function readYaml(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = parseYaml(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        key,
        typeof entry === 'string' ? entry : JSON.stringify(entry),
      ]),
    )
  } catch {
    return undefined
  }
}
