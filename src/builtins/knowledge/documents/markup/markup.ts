import { type ChildNode, type Element, type ParentNode, isTag, isText } from 'domhandler'

/** Queries on a parsed HTML or XML tree; names are matched without their namespace prefix. */

export function localName(element: Element): string {
  const { name } = element
  return name.slice(name.indexOf(':') + 1)
}

export function childElements(node: ParentNode): Element[] {
  return node.children.filter((child) => isTag(child))
}

export function childrenNamed(node: ParentNode, name: string): Element[] {
  return childElements(node).filter((child) => localName(child) === name)
}

export function childNamed(node: ParentNode, name: string): Element | undefined {
  return childElements(node).find((child) => localName(child) === name)
}

export function findAll(node: ParentNode, name: string): Element[] {
  const found: Element[] = []
  for (const element of nodesOf(node)) {
    if (isTag(element) && localName(element) === name) found.push(element)
  }
  return found
}

export function findFirst(node: ParentNode, name: string): Element | undefined {
  for (const element of nodesOf(node)) {
    if (isTag(element) && localName(element) === name) return element
  }
  return undefined
}

/** Returns an attribute by its local name: `w:val` and `val` are the same. */
export function attribute(element: Element | undefined, name: string): string | undefined {
  if (!element) return undefined
  return element.attribs[name] ?? element.attribs[`w:${name}`] ?? element.attribs[`r:${name}`]
}

export function innerText(node: ChildNode | ParentNode): string {
  return rawText(node).replace(/\s+/g, ' ').trim()
}

export function rawText(node: ChildNode | ParentNode): string {
  if (isText(node)) return node.data
  return 'children' in node ? node.children.map(rawText).join('') : ''
}

/** Walks depth first without recursion, because a hostile page can nest deeper than the stack. */
export function* nodesOf(root: ParentNode): Generator<ChildNode> {
  const pending: ChildNode[] = root.children.toReversed()
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node
    if (!isTag(node)) continue
    for (const child of node.children.toReversed()) pending.push(child)
  }
}
