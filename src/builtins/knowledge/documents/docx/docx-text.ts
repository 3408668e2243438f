import { type ChildNode, type Element, isTag } from 'domhandler'
import { attribute, findAll, localName, rawText } from '../markup.ts'

/** Removed text and field codes are not part of what the reader sees. */
const INVISIBLE = new Set(['del', 'moveFrom', 'instrText', 'delText', 'rPr', 'pPr', 'Fallback'])
const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
}

/** Where the page turns inside a text. */
export const PAGE_BREAK = '\f'

export function docxText(node: ChildNode): string {
  if (!isTag(node)) return ''
  const name = localName(node)
  if (INVISIBLE.has(name)) return ''
  if (name === 't') return rawText(node).replaceAll(PAGE_BREAK, ' ')
  if (name === 'lastRenderedPageBreak' || isPageBreak(node)) return PAGE_BREAK
  return SIGNS[name] ?? node.children.map(docxText).join('')
}

/** Word writes a rendered break right after a manual one: they are the same turn of the page. */
function isPageBreak(element: Element): boolean {
  if (localName(element) !== 'br' || attribute(element, 'type') !== 'page') return false
  const next = element.parent && 'next' in element.parent ? element.parent.next : null
  return !(next && isTag(next) && findAll(next, 'lastRenderedPageBreak').length > 0)
}
