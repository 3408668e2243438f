import { type Node, applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'

/** Sets the value at `path`, or takes it out where it is undefined; comments and layout stay. */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const plain = text.slice(mark.length)
  const source = plain.trim() === '' ? '{}\n' : plain
  const tree = parseTree(source)
  const parent = tree && findNodeAtLocation(tree, path.slice(0, -1))
  const isNew = tree && findNodeAtLocation(tree, [...path]) === undefined
  if (value !== undefined && isNew && parent?.type === 'object' && parent.children?.length)
    return mark + insertFirst(source, parent, [path.at(-1) ?? '', value])
  const edits = modify(source, [...path], value, { formattingOptions: layoutOf(source) })
  return mark + applyEdits(source, edits)
}

/** In front of the others: the parser's own insertion rewrites its neighbour, and moves comments. */
function insertFirst(
  text: string,
  { offset, children = [] }: Node,
  [key, value]: readonly [string, unknown],
): string {
  if (!text.trim().includes('\n')) {
    const entry = `${JSON.stringify(key)}:${JSON.stringify(value)},`
    return text.slice(0, offset + 1) + entry + text.slice(offset + 1)
  }
  const { eol, insertSpaces, tabSize } = layoutOf(text)
  const [, before = ''] = /(?:^|\n)([^\S\n]*)[^\n]*$/.exec(text.slice(0, children[0]?.offset)) ?? []
  const step = insertSpaces ? ' '.repeat(tabSize) : '\t'
  const json = JSON.stringify(value, null, step).replaceAll('\n', `${eol}${before}`)
  const entry = `${before}${JSON.stringify(key)}: ${json},`
  // A comment behind the brace belongs to the object, not to its first entry.
  const [rest = ''] = /^[^\S\n]*(?:\/\/[^\n]*|\/\*[^\n]*\*\/[^\S\n]*)?(?=\r?\n|$)/.exec(
    text.slice(offset + 1),
  ) ?? ['']
  const at = offset + 1 + rest.replace(/\r$/, '').length
  return `${text.slice(0, at)}${eol}${entry}${text.slice(at)}`
}

/** Indents as the file does. */
function layoutOf(text: string) {
  const [, indent = '  '] = /^[^\S\n]*[{[][^\n]*\n([^\S\n]+)\S/m.exec(text) ?? []
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return indent.startsWith('\t')
    ? { insertSpaces: false, tabSize: 1, eol }
    : { insertSpaces: true, tabSize: indent.length, eol }
}
