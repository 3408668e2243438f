import { type ChildNode, type Element, isTag } from 'domhandler'
import { attribute, findAll, localName, rawText } from './markup.ts'

export interface DocxText {
  readonly text: string
  /** How often the page turns inside. */
  readonly breaks: number
}

/** Removed text and field codes are not part of what the reader sees. */
const INVISIBLE = new Set(['del', 'moveFrom', 'instrText', 'delText', 'rPr', 'pPr', 'Fallback'])
const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
}

export function docxText(node: ChildNode): DocxText {
  if (!isTag(node)) return { text: '', breaks: 0 }
  const name = localName(node)
  if (INVISIBLE.has(name)) return { text: '', breaks: 0 }
  if (name === 't') return { text: rawText(node), breaks: 0 }
  const sign = SIGNS[name]
  if (sign !== undefined) return { text: sign, breaks: isPageBreak(node) ? 1 : 0 }
  const parts = node.children.map(docxText)
  return {
    text: parts.map(({ text }) => text).join(''),
    breaks: parts.reduce(
      (sum, part) => sum + part.breaks,
      name === 'lastRenderedPageBreak' ? 1 : 0,
    ),
  }
}

/** Word writes a rendered break right after a manual one: they are the same turn of the page. */
function isPageBreak(element: Element): boolean {
  if (attribute(element, 'type') !== 'page') return false
  const next = element.parent && 'next' in element.parent ? element.parent.next : null
  return !(next && isTag(next) && findAll(next, 'lastRenderedPageBreak').length > 0)
}
