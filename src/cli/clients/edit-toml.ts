import { stringify } from 'smol-toml'
import { isObject } from '../../base/json/json.ts'

/** Sets the table at `path` (two keys), or removes it if undefined; keeps all other lines. */
export function editToml(text: string, path: readonly string[], entry: unknown): string {
  const [table = '', name = ''] = path
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const own = ownLines(lines, table, name)
  if (!isObject(entry)) return own ? withoutLines(lines, own).join(eol) : text
  const section = stringify({ [table]: { [name]: entry } })
    .split('\n')
    .filter((line) => line !== '')
  if (own) return lines.toSpliced(own.start, own.end - own.start, ...section).join(eol)
  while (lines.at(-1) === '') lines.pop()
  return [...lines, ...(lines.length > 0 ? [''] : []), ...section, ''].join(eol)
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Removes the lines, and for the last section also the empty line before it. */
function withoutLines(lines: readonly string[], { start, end }: Range): string[] {
  const isLast = lines.slice(end).every((line) => line === '')
  const from = isLast && lines[start - 1] === '' ? start - 1 : start
  return lines.toSpliced(from, end - from)
}

/** Returns the lines of a table and of the subtables that directly follow it. */
function ownLines(lines: readonly string[], table: string, name: string): Range | undefined {
  const own = new RegExp(
    String.raw`^\s*\[\s*${literal(table)}\s*\.\s*["']?${literal(name)}["']?\s*[.\]]`,
  )
  const start = lines.findIndex((line) => own.test(line))
  if (start < 0) return undefined
  let end = start + 1
  while (end < lines.length && !(/^\s*\[/.test(lines[end] ?? '') && !own.test(lines[end] ?? '')))
    end++
  // Comments and empty lines before the next table belong to the next table.
  while (end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1] ?? '')) end--
  return { start, end }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
