import type { MarkedToken, Token, Tokens } from 'marked'
import { parse as parseYaml } from 'yaml'
import { decodeText } from './decode-text.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'

export async function readMarkdown({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const { properties, body } = splitFrontMatter(decodeText(bytes).replaceAll('\r\n', '\n'))
  const blocks = await markdownBlocks(body)
  const first = blocks.find((block) => block.kind === 'heading')
  return {
    title: properties['title'] ?? first?.text ?? titleFromName(name),
    format: 'markdown',
    blocks,
    properties,
  }
}

/** The source text of each block is kept as written, so that links and emphasis reach the reader. */
export async function markdownBlocks(text: string): Promise<Block[]> {
  const { lexer } = await import('marked')
  return lexer(text).filter(isStandard).flatMap(toBlocks)
}

/** Only extensions, of which we use none, make tokens of other types. */
function isStandard(token: Token): token is MarkedToken {
  return typeof token.type === 'string'
}

function toBlocks(token: MarkedToken): Block[] {
  switch (token.type) {
    case 'space':
    case 'hr':
      return []
    case 'heading':
      return [{ kind: 'heading', level: token.depth, text: plain(token) }]
    case 'code':
      return [{ kind: 'code', text: token.text, ...(token.lang && { language: token.lang }) }]
    case 'table':
      return [tableBlock(token)]
    case 'list':
      return [{ kind: 'list', items: token.items.map((item) => item.raw.trimEnd()) }]
    case 'paragraph':
      return [paragraphBlock(token)]
    default:
      return token.raw.trim() ? [{ kind: 'paragraph', text: token.raw.trim() }] : []
  }
}

function paragraphBlock({ tokens, raw }: Tokens.Paragraph): Block {
  const onlyImage = tokens.length === 1 && tokens[0]?.type === 'image'
  return { kind: onlyImage ? 'figure' : 'paragraph', text: raw.trim() }
}

function tableBlock({ header, rows }: Tokens.Table): Block {
  return {
    kind: 'table',
    header: header.map((cell) => cell.text),
    rows: rows.map((row) => row.map((cell) => cell.text)),
  }
}

/** The words of a heading without its markup. */
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

/** Undefined where the block between the dashes is not a mapping: then it is text, and stays text. */
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
