import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { unwrap } from '../unwrap.ts'

/** Elements without readable text (`SILENT`), and elements inside a line of text (`INLINE`). */
export const SILENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'svg',
  'iframe',
])
export const INLINE = new Set(
  'a abbr b bdi bdo br cite code data del dfn em font i img input ins kbd label mark math q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

/** Returns the text of a node, with spaces around block children so that words stay apart. */
export function nodeText(node: ChildNode): string {
  if (isText(node)) return node.data
  if (!isTag(node) || SILENT.has(node.name) || isPermalink(node)) return ''
  if (node.name === 'img') return imageText(node)
  const text = node.children.map(nodeText).join('')
  return INLINE.has(node.name) && node.name !== 'br' ? text : ` ${text} `
}

/** Returns the text of a node in one line. */
export function elementText(node: ChildNode): string {
  return inOneLine(nodeText(node))
}

export function inOneLine(text: string): string {
  return unwrap(text).replace(/\s+/g, ' ').trim()
}

/** Whether an element is the symbol next to a heading that links to the heading itself. */
export function isPermalink({ name, attribs, children }: Element): boolean {
  const [only, ...others] = children
  return (
    name === 'a' &&
    attribs['href']?.startsWith('#') === true &&
    only !== undefined &&
    others.length === 0 &&
    isText(only) &&
    /^\s*(?:[¶#§\u200B]|\u{1F517})\s*$/u.test(only.data)
  )
}

export function imageText(element: Element): string {
  const alt = element.attribs['alt']?.trim()
  return alt ? ` [${alt}] ` : ''
}
