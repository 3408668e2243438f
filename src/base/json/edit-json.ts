import {
  type Node,
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  parseTree,
} from 'jsonc-parser'

/** Keys of objects, and places in lists. */
export type JsonPath = readonly (string | number)[]

/** Sets the value at `path`, or removes it if undefined; keeps comments and layout. */
export function editJson(text: string, path: JsonPath, value: unknown): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const plain = text.slice(mark.length)
  return mark + edit(plain.trim() === '' ? '{}\n' : plain, path, value)
}

function edit(source: string, path: JsonPath, value: unknown): string {
  const tree = parseTree(source)
  const found = tree && findNodeAtLocation(tree, [...path])
  if (value === undefined) return found ? remove(source, found) : source
  const inserted = !found && tree ? inserting(source, tree, [path, value]) : undefined
  if (inserted !== undefined) return inserted
  if (found?.parent?.type === 'array' && !isSpread(source, found.parent))
    return withOnOneLine(source, found, value)
  const edits = modify(source, [...path], value, { formattingOptions: layoutOf(source) })
  return applyEdits(source, edits)
}

/** Inserts a value that is not there; undefined if the parser does that well. */
function inserting(source: string, tree: Node, [path, value]: [JsonPath, unknown]) {
  if (path.length === 0) return undefined
  const [key, above] = [String(path.at(-1)), path.slice(0, -1)]
  const parent = findNodeAtLocation(tree, above)
  // The parser would rewrite every object above it.
  if (!parent && above.length > 0) return edit(source, above, { [key]: value })
  return parent && hasRoom(source, parent) ? insertFirst(source, parent, [key, value]) : undefined
}

/** Replaces an entry of a list on one line, which the parser would break into several. */
function withOnOneLine(source: string, { offset, length }: Node, value: unknown): string {
  return source.slice(0, offset) + onOneLine(value) + source.slice(offset + length)
}

function hasRoom(source: string, parent: Node): boolean {
  const isFilled = parent.children !== undefined && parent.children.length > 0
  return parent.type === 'object' && (isFilled || isSpread(source, parent))
}

function isSpread(text: string, { offset, length }: Node): boolean {
  return text.slice(offset, offset + length).includes('\n')
}

/** Inserts before the others; the parser's insertion rewrites a neighbour and moves comments. */
function insertFirst(text: string, parent: Node, [key, value]: readonly [string, unknown]): string {
  const { offset, children = [] } = parent
  const comma = children.length > 0 ? ',' : ''
  if (!text.trim().includes('\n') || (children.length > 0 && !isSpread(text, parent))) {
    const isSpaced = text[offset + 1] === ' '
    const entry = isSpaced
      ? ` ${onOneLine(key)}: ${onOneLine(value)}${comma}`
      : `${JSON.stringify(key)}:${JSON.stringify(value)}${comma}`
    return text.slice(0, offset + 1) + entry + text.slice(offset + 1)
  }
  const { eol, insertSpaces, tabSize } = layoutOf(text)
  const step = insertSpaces ? ' '.repeat(tabSize) : '\t'
  const [first] = children
  const before = first ? indentAt(text, first.offset) : indentAt(text, offset) + step
  const json = JSON.stringify(value, null, step).replaceAll('\n', `${eol}${before}`)
  const entry = `${before}${JSON.stringify(key)}: ${json}${comma}`
  // A comment after the brace belongs to the object, not to its first entry.
  const [rest = ''] = /^[^\S\n]*(?:\/\/[^\n]*|\/\*(?:(?!\*\/)[^\n])*\*\/[^\S\n]*)?(?=\r?\n|$)/.exec(
    text.slice(offset + 1),
  ) ?? ['']
  const at = offset + 1 + rest.replace(/\r$/, '').length
  return `${text.slice(0, at)}${eol}${entry}${text.slice(at)}`
}

/** JSON with a space where a reader expects one; line ends within strings are escaped. */
function onOneLine(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ')
}

/** Removes an entry, its comma and the rest of its line; the parser's removal reformats more. */
function remove(text: string, value: Node): string {
  const property = value.parent ?? value
  const siblings = property.parent?.children ?? []
  const before = siblings[siblings.indexOf(property) - 1]
  const end = property.offset + property.length
  const behind = commaAfter(text, end)
  const { from, to } = wholeLines(text, property.offset, behind === undefined ? end : behind + 1)
  const head = text.slice(0, from)
  // If it was the last of several, the comma before it must go too.
  const divider =
    behind === undefined && before ? commaAfter(text, before.offset + before.length) : undefined
  return (
    (divider === undefined ? head : head.slice(0, divider) + head.slice(divider + 1)) +
    text.slice(to)
  )
}

function commaAfter(text: string, position: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(position)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text.slice(at, at + scanner.getTokenLength()) === ',' ? at : undefined
}

function wholeLines(text: string, start: number, end: number): { from: number; to: number } {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const [rest = ''] =
    /^[^\S\n]*(?:\/\/[^\n]*|\/\*(?:(?!\*\/)[^\n])*\*\/[^\S\n]*)?(?:\n|$)/.exec(text.slice(end)) ??
    []
  if (lineStart > 0 && text.slice(lineStart, start).trim() === '' && rest !== '')
    return { from: lineStart, to: end + rest.length }
  const [spaces = ''] = /^[^\S\n]*/.exec(text.slice(end)) ?? []
  return { from: start, to: end + spaces.length }
}

function indentAt(text: string, offset: number): string {
  return /(?:^|\n)([^\S\n]*)[^\n]*$/.exec(text.slice(0, offset))?.[1] ?? ''
}

/** Returns the indentation and line ends of the file. */
export function layoutOf(text: string) {
  const [, indent = '  '] = /^[^\S\n]*[{[][^\n]*\n([^\S\n]+)\S/m.exec(text) ?? []
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return indent.startsWith('\t')
    ? { insertSpaces: false, tabSize: 1, eol }
    : { insertSpaces: true, tabSize: indent.length, eol }
}
