import { type Pair, type YAMLMap, isMap, isScalar, parseDocument, stringify } from 'yaml'

/** Sets the map entry at `path`, or removes it if undefined; keeps all other lines. */
export function editYaml(text: string, path: readonly string[], value: unknown): string {
  const [section = '', name = ''] = path
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const map = parseDocument(text).get(section, true)
  const found = isMap(map) ? map.items.find((pair) => keyOf(pair) === name) : undefined
  if (found) {
    const { start, end } = linesOf(text, found)
    const entry = value === undefined ? '' : toLines({ [name]: value }, indentOf(text, start), eol)
    return text.slice(0, start) + entry + text.slice(end)
  }
  if (value === undefined) return text
  const ended = text === '' || text.endsWith('\n') ? text : text + eol
  if (!isMap(map) || map.items.length === 0) {
    const { start, end } = sectionLines(ended, section)
    return (
      ended.slice(0, start) + toLines({ [section]: { [name]: value } }, '', eol) + ended.slice(end)
    )
  }
  const { start } = linesOf(ended, map.items[0])
  return (
    ended.slice(0, start) +
    toLines({ [name]: value }, indentOf(ended, start), eol) +
    ended.slice(start)
  )
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : key
}

type Item = YAMLMap['items'][number]

/** Returns the range from the start of the key's line to the start of the line after the value. */
function linesOf(text: string, item: Item | undefined): { start: number; end: number } {
  const { key, value } = item ?? {}
  const from = rangeOf(key)?.[0] ?? 0
  const start = text.lastIndexOf('\n', from - 1) + 1
  const last = rangeOf(value)?.[1] ?? rangeOf(key)?.[1] ?? from
  // A block value ends after its last line break, an inline value before it.
  const end = text[last - 1] === '\n' ? last : nextLine(text, last)
  return { start, end }
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? node.range.map(Number)
    : undefined
}

/** Returns the lines of a section without entries (`extensions: {}`), or the end of the file. */
function sectionLines(text: string, section: string): { start: number; end: number } {
  const { contents } = parseDocument(text)
  const pair = isMap(contents) ? contents.items.find((each) => keyOf(each) === section) : undefined
  return pair ? linesOf(text, pair) : { start: text.length, end: text.length }
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function indentOf(text: string, start: number): string {
  return /^[ ]*/.exec(text.slice(start))?.[0] ?? ''
}

function toLines(value: unknown, indent: string, eol: string): string {
  return stringify(value, { lineWidth: 0 })
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join(eol)
}
