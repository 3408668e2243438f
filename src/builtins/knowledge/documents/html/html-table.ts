import { type Element, isTag } from 'domhandler'
import type { Block } from '../document.ts'
import { elementText } from './html-text.ts'
import { childElements, findAll, innerText } from '../markup/markup.ts'

/** The most columns that spans may extend a row to; cells that exist are all kept. */
const MAX_COLUMNS = 200

/** Reads a table with its caption; spanned cells are repeated, so that every row is complete. */
export function htmlTable(table: Element): Block[] {
  const caption = childElements(table).find(({ name }) => name === 'caption')
  const rows = tableRows(table)
  const [first, ...rest] = expandSpans(rows)
  const before: Block[] = caption ? [{ kind: 'paragraph', text: innerText(caption) }] : []
  if (!first) return before
  const headed =
    rows[0]?.every((cell) => cell.name === 'th') || rows[0]?.[0]?.parent?.parent === thead(table)
  const header = headed ? first : []
  return [...before, { kind: 'table', header, rows: headed ? rest : [first, ...rest] }]
}

/** Whether a table is used only for layout. */
export function isLayout(table: Element): boolean {
  return tableRows(table).length === 1
}

function thead(table: Element): Element | undefined {
  return childElements(table).find(({ name }) => name === 'thead')
}

function tableRows(table: Element): Element[][] {
  return findAll(table, 'tr')
    .filter((row) => closestTable(row) === table)
    .map((row) => childElements(row).filter(({ name }) => name === 'td' || name === 'th'))
    .filter((cells) => cells.length > 0)
}

function closestTable(element: Element): Element | null {
  let parent = element.parent
  while (parent && !(isTag(parent) && parent.name === 'table')) parent = parent.parent
  return parent && isTag(parent) ? parent : null
}

function expandSpans(rows: readonly Element[][]): string[][] {
  const carried = new Map<number, { text: string; left: number }>()
  return rows.map((cells) => {
    const line: string[] = []
    const fillCarried = () => {
      for (let held = carried.get(line.length); held; held = carried.get(line.length)) {
        held.left -= 1
        if (held.left <= 0) carried.delete(line.length)
        line.push(held.text)
      }
    }
    for (const cell of cells) {
      fillCarried()
      const text = elementText(cell)
      const rowspan = span(cell, 'rowspan')
      let left = span(cell, 'colspan')
      do {
        if (rowspan > 1) carried.set(line.length, { text, left: rowspan - 1 })
        line.push(text)
      } while (--left > 0 && line.length < MAX_COLUMNS)
    }
    fillCarried()
    return line
  })
}

function span(cell: Element, name: string): number {
  const value = Number(cell.attribs[name] ?? 1)
  return Number.isInteger(value) && value > 0 ? Math.min(value, MAX_COLUMNS) : 1
}
