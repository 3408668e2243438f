import { decodeText } from '../decode-text.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { pageFurniture, withoutFurniture } from '../page-furniture.ts'
import { type TextLine, textBlocks, underlinedTitle } from './text-blocks.ts'
import { titleFromName } from '../title-from-name.ts'

/** Reads plain text with the conventions of RFCs: form feeds, running lines, numbered headings. */
export async function readText({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const pages = decodeText(bytes)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\f')
    .map((page) => page.split('\n').map((line) => line.trimEnd()))
  const filled = pages.map((lines) => lines.filter(Boolean))
  const isFurniture = pageFurniture(filled)
  const lines = pages.flatMap((page, index) => pageLines(page, index + 1, isFurniture))
  const title = textTitle(lines) ?? underlinedTitle(lines) ?? titleFromName(name)
  const blocks = textBlocks(lines)
  if (pages.length === 1) return { title, blocks: blocks.map(withoutPage), properties: {} }
  return { title, blocks, pageCount: pages.length, properties: {} }
}

function withoutPage({ page: _page, lastPage: _lastPage, ...block }: Block): Block {
  return block
}

/** Returns the lines of a page without running lines and outer blank lines. */
function pageLines(
  page: readonly string[],
  number: number,
  isFurniture: (line: string) => boolean,
): TextLine[] {
  const filled = page.flatMap((text, at) => (text ? [at] : []))
  const kept = withoutFurniture(filled, (at) => page[at] ?? '', isFurniture)
  const [first, last] = [kept[0], kept.at(-1)]
  if (first === undefined || last === undefined) return []
  return page.slice(first, last + 1).map((text) => ({ text, page: number }))
}

/** Returns "RFC 5321: Simple Mail …": the title is the paragraph after the one with the number. */
function textTitle(lines: readonly TextLine[]): string | undefined {
  const at = lines.slice(0, 60).findIndex(({ text }) => text.startsWith('Request for Comments:'))
  const number = /\d+/.exec(lines[at]?.text ?? '')?.[0]
  if (!number) return undefined
  const rest = lines.slice(at).map(({ text }) => text.trim())
  const after = rest.slice(rest.indexOf(''))
  const title = after.slice(after.findIndex(Boolean))
  return `RFC ${number}: ${title.slice(0, title.indexOf('')).join(' ')}`
}
