import { type ChildNode, type Element, type ParentNode, isTag, isText } from 'domhandler'
import { isAdmonition } from '../admonition.ts'
import type { Block } from '../document.ts'
import { htmlTable } from './html-table.ts'
import { INLINE, SILENT, imageText, nodeText } from './html-text.ts'
import { childElements, findAll, innerText, rawText } from '../markup.ts'

export interface HtmlBlockOptions {
  /** Leave out menus, footers and forms. */
  readonly skipFurniture: boolean
}

const FURNITURE = new Set(['nav', 'footer', 'aside', 'form', 'button', 'dialog'])
const MAX_DEPTH = 512

export function htmlBlocks(root: ParentNode, options: HtmlBlockOptions): Block[] {
  const blocks: Block[] = []
  let inline = ''

  function flush(): void {
    const text = inline
      .replace(/[ \t\n\r\f]+/g, ' ')
      .replace(/ ?\u2028 ?/g, '\n')
      .trim()
    inline = ''
    if (text) blocks.push({ kind: 'paragraph', text })
  }

  function visit(node: ChildNode, depth: number): void {
    if (isText(node)) inline += node.data
    else if (isTag(node) && !isSkipped(node, options)) visitElement(node, depth)
  }

  function visitElement(element: Element, depth: number): void {
    if (depth > MAX_DEPTH) inline += rawDeep(element)
    else if (element.name === 'br') inline += '\u2028'
    else if (element.name === 'img') inline += imageText(element)
    else if (INLINE.has(element.name)) visitAll(element, depth + 1)
    else {
      flush()
      const block = asBlock(element)
      if (block) blocks.push(...block)
      else visitAll(element, depth + 1)
      flush()
    }
  }

  function visitAll(parent: ParentNode, depth: number): void {
    for (const child of parent.children) visit(child, depth)
  }

  visitAll(root, 0)
  flush()
  return blocks
}

/** Undefined for containers, whose children speak for themselves. */
function asBlock(element: Element): Block[] | undefined {
  const { name } = element
  if (/^h[1-6]$/.test(name)) {
    const text = innerText(element)
    if (isAdmonition(text)) return [{ kind: 'paragraph', text }]
    return text ? [{ kind: 'heading', level: Number(name[1]), text }] : []
  }
  if (name === 'pre') return [{ kind: 'code', text: rawText(element).replace(/^\n/, '').trimEnd() }]
  if (name === 'ul' || name === 'ol') return [{ kind: 'list', items: listItems(element, '') }]
  if (name === 'dl') return [{ kind: 'list', items: definitions(element) }]
  if (name === 'table') return htmlTable(element)
  if (
    name === 'figure' &&
    findAll(element, 'table').length + findAll(element, 'pre').length === 0
  ) {
    return figure(element)
  }
  return undefined
}

function figure(element: Element): Block[] {
  const alternatives = findAll(element, 'img').map(imageText)
  const text = [...alternatives, innerText(element)].join(' ').replace(/\s+/g, ' ').trim()
  return text ? [{ kind: 'figure', text }] : []
}

function listItems(list: Element, indent: string): string[] {
  const ordered = list.name === 'ol'
  let number = Number(list.attribs['start'] ?? 1) || 1
  return childElements(list).flatMap((item) => {
    const inner = childElements(item).filter(({ name }) => name === 'ul' || name === 'ol')
    const own = item.children.filter((child) => !isTag(child) || !inner.includes(child))
    const text = own
      .map((child) => nodeText(child))
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim()
    const bullet = ordered ? `${number++}.` : '-'
    const nested = inner.flatMap((child) => listItems(child, `${indent}  `))
    return text ? [`${indent}${bullet} ${text}`, ...nested] : nested
  })
}

function definitions(list: Element): string[] {
  const parts = list.children.flatMap((child) =>
    isTag(child) && child.name === 'div' ? child.children : [child],
  )
  return parts.flatMap((part) => {
    const text = nodeText(part).replace(/\s+/g, ' ').trim()
    if (!text) return []
    return [isTag(part) && part.name === 'dt' ? text : `: ${text}`]
  })
}

function isSkipped(element: Element, { skipFurniture }: HtmlBlockOptions): boolean {
  if (SILENT.has(element.name)) return true
  return skipFurniture && (FURNITURE.has(element.name) || 'hidden' in element.attribs)
}

/** Beyond the depth limit only the words are kept, gathered without recursion. */
function rawDeep(element: Element): string {
  const pending: ChildNode[] = [element]
  let text = ''
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (isText(node)) text += ` ${node.data}`
    else if (isTag(node)) pending.push(...node.children.toReversed())
  }
  return text
}
