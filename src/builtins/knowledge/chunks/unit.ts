import { type Block, type Table, blockText, tableHead, tableRow } from '../documents/document.ts'
import type { CountTokens } from './chunk.ts'
import { isWithin, splitText } from './split-text.ts'

/** The smallest component of a chunk: a block, or a part of a block that was too long. */
export interface Unit {
  readonly kind: Block['kind']
  readonly text: string
  /** Text that must precede it; it then starts a chunk of its own. The header of a split table. */
  readonly lead: string
  readonly tokens: number
  readonly pages: readonly number[]
}

/** Splits a block into units of at most `limit` tokens each, lead included. */
export function toUnits(block: Block, limit: number, count: CountTokens): Unit[] {
  const text = blockText(block)
  const pages = pagesOf(block)
  if (isWithin(text, limit, count))
    return [{ kind: block.kind, text, lead: '', tokens: count(text), pages }]
  if (block.kind === 'table') return splitTable(block, limit, count, pages)
  return splitText(text, limit, count).map((part) => ({
    kind: block.kind,
    text: part,
    lead: '',
    tokens: count(part),
    pages,
  }))
}

/** Splits a table between rows, and inside a row only if it is too long; repeats the header. */
function splitTable(
  table: Table,
  limit: number,
  count: CountTokens,
  pages: readonly number[],
): Unit[] {
  const head = tableHead(table)
    .map((line) => `${line}\n`)
    .join('')
  // A header that takes half of the limit or more is written once, as text, and not repeated.
  const repeats = count(head) < limit / 2
  const room = repeats ? limit - count(head) - 1 : limit
  const rows = table.rows.map((cells) => `${tableRow(cells)}\n`).join('')
  const parts = splitText(repeats ? rows : head + rows, room, count)
  return parts.map((part, index) => {
    const first = index === 0
    const text = repeats && first ? head + part : part
    const lead = repeats && !first ? head : ''
    return { kind: 'table', text, lead, tokens: count(lead + text), pages }
  })
}

function pagesOf({ page, lastPage }: Block): number[] {
  if (page === undefined) return []
  return Array.from({ length: (lastPage ?? page) - page + 1 }, (_, index) => page + index)
}
