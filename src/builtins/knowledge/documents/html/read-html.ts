import type { Document } from 'domhandler'
import { decodeText } from '../text/decode-text.ts'
import type { KnowledgeDocument, RawDocument } from '../document.ts'
import { htmlBlocks } from './html-blocks.ts'
import { findAll, findFirst, innerText } from '../markup.ts'
import { parseMarkup } from '../parse-markup.ts'
import { titleFromName } from '../title-from-name.ts'

export interface HtmlOptions {
  /** Web pages carry menus and footers; then only the main part is read, where one is marked. */
  readonly mainOnly?: boolean
}

export async function readHtml(
  { name, bytes }: RawDocument,
  { mainOnly = false }: HtmlOptions = {},
): Promise<KnowledgeDocument> {
  const root = await parseMarkup(decodeText(bytes))
  const blocks = htmlBlocks(mainOnly ? mainPart(root) : root, { skipFurniture: mainOnly })
  const heading = blocks.find((block) => block.kind === 'heading')
  const title = findFirst(root, 'title')
  return {
    title: (title && innerText(title)) || heading?.text || titleFromName(name),
    format: 'html',
    blocks,
    properties: metaProperties(root),
    links: findAll(root, 'a').flatMap((link) =>
      link.attribs['href'] ? [link.attribs['href']] : [],
    ),
  }
}

function mainPart(root: Document) {
  return findFirst(root, 'main') ?? findFirst(root, 'article') ?? findFirst(root, 'body') ?? root
}

function metaProperties(root: Document): Record<string, string> {
  const known = new Set(['author', 'description', 'keywords', 'robots'])
  return Object.fromEntries(
    findAll(root, 'meta').flatMap(({ attribs }) => {
      const key = attribs['name']?.toLowerCase()
      return key && known.has(key) && attribs['content'] ? [[key, attribs['content']]] : []
    }),
  )
}
