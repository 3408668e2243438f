import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Paint } from '../shared/terminal/paint.ts'

const MAX_SHOWN_LINES = 14
const SHOWN_BEFORE = 3
const SHOWN_AFTER = 4

/** Renders search results as text. */
export function renderSearch(items: readonly JsonObject[], paint: Paint): string {
  const results = items.filter((item) => 'file_path' in item)
  const notes = items.filter((item) => 'message' in item)
  return [
    ...results.map((item) => renderResult(item, paint)),
    ...notes.map((item) => renderNote(item, paint)),
  ].join('\n')
}

function renderResult(item: JsonObject, paint: Paint): string {
  const lines = String(item['content']).split('\n')
  const first = Number(item['start_line'])
  const skipped = linesBefore(lines.length, Number(item['match_line'] ?? first) - first)
  const shown = lines.slice(skipped, skipped + MAX_SHOWN_LINES)
  const from = first + skipped
  const width = String(from + shown.length).length
  const body = shown.map(
    (line, at) => `${paint('gray', String(from + at).padStart(width))}  ${line}`,
  )
  const more = lines.length - skipped - shown.length
  const symbol = text(item['symbol_name']) || text(item['hierarchy'])
  const where = `${paint(['bold', 'cyan'], String(item['file_path']))}:${first}-${Number(item['end_line'])}`
  const about = symbol === '' ? '' : `  ${paint('yellow', symbol)}`
  const name = text(item['index_name'])
  const index = name === '' ? '' : paint('magenta', ` [${name}]`)
  return [
    `${where}${index}${about}  ${paint('gray', Number(item['score']).toFixed(2))}`,
    ...body,
    ...(more > 0 ? [paint('gray', `   … ${more} more lines`)] : []),
    '',
  ].join('\n')
}

/** Returns how many lines are left out, so that the line that matched is shown with some before it. */
function linesBefore(count: number, match: number): number {
  const isNear = count <= MAX_SHOWN_LINES || match < MAX_SHOWN_LINES - SHOWN_AFTER
  return isNear ? 0 : Math.min(match - SHOWN_BEFORE, count - MAX_SHOWN_LINES)
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export function renderNote(item: JsonObject, paint: Paint): string {
  const parts = [item['error'], item['message']].filter((part) => part !== undefined)
  return paint('error' in item ? 'red' : 'gray', parts.map(String).join(': '))
}

/** Renders a tree of dependencies with its branches drawn. */
export function renderTree(node: JsonObject, paint: Paint, prefix = ''): string {
  const children = Array.isArray(node['children']) ? node['children'].filter(isObject) : []
  const own = prefix === '' ? [paint('bold', String(node['file']))] : []
  const below = children.flatMap((child, at) => {
    const isLast = at === children.length - 1
    const name = child['is_external'] ? paint('gray', String(child['file'])) : String(child['file'])
    const line = `${prefix}${isLast ? '└─ ' : '├─ '}${name}`
    const rest = renderTree(child, paint, `${prefix}${isLast ? '   ' : '│  '}`)
    return rest === '' ? [line] : [line, rest]
  })
  return [...own, ...below].join('\n')
}

/** Renders any other value as aligned names and values, with nested values indented. */
export function renderValue(value: unknown, paint: Paint, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.every((item) => !isObject(item))) return `${indent}${value.map(String).join(', ')}`
    return value
      .map((item) => renderValue(item, paint, indent))
      .join(`\n${indent}${paint('gray', '─')}\n`)
  }
  if (!isObject(value)) return `${indent}${String(value)}`
  const width = Math.max(...Object.keys(value).map((key) => key.length), 0)
  return Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined)
    .map(([key, item]) => {
      const name = `${indent}${paint('cyan', key.padEnd(width))}`
      const isNested = isObject(item) || (Array.isArray(item) && item.some(isObject))
      return isNested
        ? `${name}\n${renderValue(item, paint, `${indent}  `)}`
        : `${name}  ${renderValue(item, paint).trim()}`
    })
    .join('\n')
}
