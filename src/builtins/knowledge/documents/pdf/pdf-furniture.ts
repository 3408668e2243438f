import { romanValue } from '../roman-number.ts'
import { shape } from '../page-furniture.ts'
import type { PdfLine } from './pdf-lines.ts'

/** How often the outermost lines are looked at: a header may be in two parts, apart from each other. */
const ROUNDS = 2
/** The most rows of one running header or footer: a company, a title, a page number. */
const MAX_ROWS = 3
/** The most distance between two lines at the same height. */
const SAME_HEIGHT = 2
/** The least distance from a running line to the next line, in font sizes. */
const ISOLATED = 1.7
const MIN_PAGES = 3
/** The share of lines at one height that must repeat or count pages for all to be removed. */
const MOSTLY = 0.6
/** The largest share of pages whose text may be further out than a running line. */
const MAX_BEYOND = 0.05
/** The pages to compare with, by distance; left and right pages may have different headers. */
const NEIGHBOURS = [-2, -1, 1, 2]

type Edge = 'top' | 'bottom'

/** The outermost rows at the top or bottom of a page, which the rest of the page is apart from. */
interface EdgeBlock {
  readonly page: number
  /** The height of the outermost row. */
  readonly y: number
  readonly lines: readonly PdfLine[]
  readonly rows: readonly Row[]
}

/** The cells of the lines at one height. */
type Row = readonly string[]

/**
 * Removes running headers and footers. They are at the same height on several pages, apart from the
 * text and no larger than it, and they either count pages or repeat on a neighbouring page. Chapter
 * titles in them change, so they need not repeat on a given share of all pages.
 */
export function withoutRunningLines(
  pages: readonly (readonly PdfLine[])[],
  bodySize: number,
): readonly PdfLine[][] {
  let left: readonly PdfLine[][] = pages.map((lines) => [...lines])
  for (let round = 0; round < ROUNDS; round++) {
    for (const edge of ['top', 'bottom'] as const) left = withoutEdge(left, edge, bodySize)
  }
  return left
}

function withoutEdge(
  pages: readonly PdfLine[][],
  edge: Edge,
  bodySize: number,
): readonly PdfLine[][] {
  const found = pages.flatMap((lines) => edgeBlock(lines, edge, bodySize) ?? [])
  const counts = pageCounter(found)
  let left = pages
  for (const band of bands(found, edge)) {
    const byPage = new Map(band.map((block) => [block.page, block]))
    const running = band.filter(({ page, rows }) =>
      rows.every((row) => counts(page, row) || isRepeated(page, row, byPage)),
    )
    if (running.length < MIN_PAGES || isInsideText(band, left, edge)) continue
    const all = running.length >= band.length * MOSTLY ? band : running
    const furniture = new Set(all.flatMap(({ lines }) => lines))
    left = left.map((lines) => lines.filter((line) => !furniture.has(line)))
  }
  return left
}

/** Returns the sign that makes `y` grow towards the edge of the page. */
function signOf(edge: Edge): number {
  return edge === 'top' ? 1 : -1
}

/** Whether the text of other pages reaches as far out as these lines, so that they are text too. */
function isInsideText(
  band: readonly EdgeBlock[],
  pages: readonly (readonly PdfLine[])[],
  edge: Edge,
): boolean {
  const sign = signOf(edge)
  const own = new Set(band.flatMap(({ lines }) => lines))
  const y = sign * (band[0]?.y ?? 0)
  const beyond = pages.filter((lines) => lines.some((line) => sign * line.y >= y && !own.has(line)))
  return beyond.length > pages.length * MAX_BEYOND
}

/** Returns the rows at the edge if they are apart from the text and no larger than it. */
function edgeBlock(lines: readonly PdfLine[], edge: Edge, bodySize: number): EdgeBlock | undefined {
  const sign = signOf(edge)
  const byHeight = lines.toSorted((a, b) => sign * (b.y - a.y))
  const [first] = byHeight
  if (!first) return undefined
  const rows: PdfLine[][] = []
  for (const line of byHeight) {
    const row = rows.at(-1)
    const gap = row?.[0] ? sign * (row[0].y - line.y) : 0
    if (row && gap <= SAME_HEIGHT) row.push(line)
    else if (row?.[0] && gap >= row[0].size * ISOLATED) break
    else if (rows.length === MAX_ROWS) return undefined
    else rows.push([line])
    if (line.size > bodySize + 0.5) return undefined
  }
  return {
    page: first.page,
    y: first.y,
    lines: rows.flat(),
    rows: rows.map((row) => row.flatMap(({ cells }) => cells.map(({ text }) => text))),
  }
}

/** Groups blocks by their height on the page, outermost first. */
function bands(blocks: readonly EdgeBlock[], edge: Edge): EdgeBlock[][] {
  const sign = signOf(edge)
  const groups: EdgeBlock[][] = []
  for (const block of blocks.toSorted((a, b) => sign * (b.y - a.y))) {
    const band = groups.at(-1)
    if (band && Math.abs(block.y - (band[0]?.y ?? 0)) <= SAME_HEIGHT) band.push(block)
    else groups.push([block])
  }
  return groups.filter((band) => band.length >= MIN_PAGES)
}

/** Recognises rows with a page number: the same count start fits at least `MIN_PAGES` pages. */
function pageCounter(blocks: readonly EdgeBlock[]): (page: number, row: Row) => boolean {
  const starts = new Map<string, number>()
  for (const { page, rows } of blocks) {
    for (const start of new Set(rows.flatMap((row) => possibleStarts(page, row))))
      starts.set(start, (starts.get(start) ?? 0) + 1)
  }
  return (page, row) =>
    possibleStarts(page, row).some((start) => (starts.get(start) ?? 0) >= MIN_PAGES)
}

/** Returns, for each number at the start or end of the row, the page that would have number 0. */
function possibleStarts(page: number, row: Row): string[] {
  const words = row.join(' ').split(/\s+/)
  return [words[0], words.at(-1)].flatMap((word = '') => {
    const number = /^\W?(\d{1,4})\W?$/.exec(word)?.[1]
    if (number) return [`arabic ${page - Number(number)}`]
    const roman = romanValue(word)
    return roman === undefined ? [] : [`roman ${page - roman}`]
  })
}

/** Whether a cell, apart from numbers, repeats at the same height on a neighbouring page. */
function isRepeated(page: number, row: Row, byPage: ReadonlyMap<number, EdgeBlock>): boolean {
  const shapes = new Set(row.map(shape).filter(Boolean))
  return NEIGHBOURS.some((distance) =>
    byPage
      .get(page + distance)
      ?.rows.some((other) => other.some((cell) => shapes.has(shape(cell)))),
  )
}
