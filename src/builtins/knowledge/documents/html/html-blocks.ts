import { type ChildNode, type Element, type ParentNode, isTag, isText } from 'domhandler'
import { isAdmonition } from '../admonition.ts'
import type { Block } from '../document.ts'
import { htmlTable, isLayout } from './html-table.ts'
import {
  INLINE,
  SILENT,
  elementText,
  imageText,
  inOneLine,
  isPermalink,
  nodeText,
} from './html-text.ts'
import { unwrap } from '../unwrap.ts'
import { childElements, findAll, innerText, nodesOf, rawText } from '../markup/markup.ts'

export interface HtmlBlockOptions {
  /** Selects elements that are left out with all their content. */
  readonly isFurniture: (element: Element) => boolean
}

const MAX_DEPTH = 512
/** Elements whose structure is lost if their parent is read as one line of text. */
const SHAPED = /^(?:pre|table|dl|h[1-6])$/

export function htmlBlocks(root: ParentNode, { isFurniture }: HtmlBlockOptions): Block[] {
  const blocks: Block[] = []
  const holders = holdersOfShaped(root)
  let inline = ''

  function flush(): void {
    const text = unwrap(inline)
      .replace(/[ \t\n\r\f]+/g, ' ')
      .replace(/ ?\u2028 ?/g, '\n')
      .trim()
    inline = ''
    if (text) blocks.push({ kind: 'paragraph', text })
  }

  function visit(node: ChildNode, depth: number): void {
    if (isText(node)) inline += node.data
    else if (isTag(node) && !isSilent(node) && !isFurniture(node)) visitElement(node, depth)
  }

  function visitElement(element: Element, depth: number): void {
    if (depth > MAX_DEPTH) inline += rawDeep(element)
    else if (element.name === 'br') inline += '\u2028'
    else if (element.name === 'img') inline += imageText(element)
    else if (INLINE.has(element.name)) visitAll(element, depth + 1)
    else {
      flush()
      const isHolder = holders.has(element)
      const block = isHolder && isContainer(element) ? undefined : asBlock(element)
      if (block) blocks.push(...block)
      else if (isHolder && isList(element)) visitItems(element, depth + 1)
      else visitAll(element, depth + 1)
      flush()
    }
  }

  function visitAll(parent: ParentNode, depth: number): void {
    for (const child of parent.children) visit(child, depth)
  }

  /** Visits items that hold other blocks: the first paragraph gets the bullet, the rest is kept. */
  function visitItems(list: Element, depth: number): void {
    const bulletOf = bullets(list)
    let open: Block | undefined
    let items: string[] = []
    for (const item of itemsOf(list)) {
      const start = blocks.length
      visit(item, depth)
      flush()
      const opening = blocks[start]
      if (opening?.kind !== 'paragraph') continue
      const text = `${bulletOf(item)}${opening.text}`
      if (open && blocks[start - 1] === open) {
        items.push(text)
        blocks.splice(start, 1)
      } else {
        items = [text]
        open = blocks[start] = { kind: 'list', items }
      }
    }
  }

  visitAll(root, 0)
  flush()
  return blocks
}

/** Returns the elements that contain a `SHAPED` element at any depth. */
function holdersOfShaped(root: ParentNode): ReadonlySet<ParentNode> {
  const holders = new Set<ParentNode>()
  for (const node of nodesOf(root)) {
    if (!isTag(node) || !SHAPED.test(node.name)) continue
    for (let above = node.parent; above && !holders.has(above); above = above.parent)
      holders.add(above)
  }
  return holders
}

function isList({ name }: Element): boolean {
  return name === 'ul' || name === 'ol' || name === 'dl'
}

function isContainer(element: Element): boolean {
  return isList(element) || (element.name === 'table' && isLayout(element))
}

/** Converts an element to blocks; undefined for containers, whose children are visited instead. */
function asBlock(element: Element): Block[] | undefined {
  const { name } = element
  if (/^h[1-6]$/.test(name)) {
    const text = elementText(element)
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
  const bulletOf = bullets(list)
  return childElements(list).flatMap((item) => {
    const inner = childElements(item).filter(({ name }) => name === 'ul' || name === 'ol')
    const own = item.children.filter((child) => !isTag(child) || !inner.includes(child))
    const text = inOneLine(own.map((child) => nodeText(child)).join(' '))
    const bullet = bulletOf(item)
    const nested = inner.flatMap((child) => listItems(child, `${indent}  `))
    return text ? [`${indent}${bullet}${text}`, ...nested] : nested
  })
}

function definitions(list: Element): string[] {
  const bulletOf = bullets(list)
  return itemsOf(list).flatMap((part) => {
    const text = elementText(part)
    return text ? [`${bulletOf(part)}${text}`] : []
  })
}

/** Returns the items of a list; in a `dl`, the terms and definitions may be grouped in `div`s. */
function itemsOf(list: Element): ChildNode[] {
  return list.children.flatMap((child) =>
    list.name === 'dl' && isTag(child) && child.name === 'div' ? child.children : [child],
  )
}

/** Returns a function that gives the bullet of each item; it must be called in item order. */
function bullets(list: Element): (item: ChildNode) => string {
  if (list.name === 'dl') return (item) => (isTag(item) && item.name === 'dt' ? '' : ': ')
  if (list.name === 'ul') return () => '- '
  let number = Number(list.attribs['start'] ?? 1) || 1
  return () => `${number++}. `
}

function isSilent(element: Element): boolean {
  return SILENT.has(element.name) || isPermalink(element)
}

/** Beyond the depth limit only the words are kept. */
function rawDeep(element: Element): string {
  let text = ''
  for (const node of nodesOf(element)) if (isText(node)) text += ` ${node.data}`
  return text
}
