import { romanValue } from '../roman-number.ts'
import { shape } from '../page-furniture.ts'
import type { PdfLine } from './pdf-lines.ts'

/** The most lines at either end of a page that may be running headers or footers. */
const EDGES = 2
/** The most distance between two lines at the same height. */
const SAME_HEIGHT = 2
/** The least distance from a running line to the next line, in font sizes. */
const ISOLATED = 1.7
const FEWEST = 3
/** The share of lines at one height that must repeat or count pages for all to be removed. */
const MOSTLY = 0.6
/** The largest share of pages whose text may be further out than a running line. */
const MOST_BEYOND = 0.05
/** The pages to compare with, by distance; left and right pages may have different headers. */
const NEIGHBOURS = [-2, -1, 1, 2]

type Edge = 'top' | 'bottom'

/** The outermost lines at the top or bottom of a page. */
interface EdgeLine {
  readonly page: number
  readonly y: number
  readonly lines: readonly PdfLine[]
  readonly cells: readonly string[]
}

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
  for (let round = 0; round < EDGES; round++) {
    for (const edge of ['top', 'bottom'] as const) left = withoutEdge(left, edge, bodySize)
  }
  return left
}

function withoutEdge(
  pages: readonly PdfLine[][],
  edge: Edge,
  bodySize: number,
): readonly PdfLine[][] {
  const found = pages.map((lines) => edgeLine(lines, edge, bodySize))
  const counts = pageCounter(found.flatMap((line) => line ?? []))
  let left = pages
  for (const band of bands(found, edge)) {
    const byPage = new Map(band.map((line) => [line.page, line]))
    const isRunning = (line: EdgeLine) => counts(line) || isRepeated(line, byPage)
    const running = band.filter(isRunning)
    if (running.length < FEWEST || isInsideText(band, left, edge)) continue
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
  band: readonly EdgeLine[],
  pages: readonly (readonly PdfLine[])[],
  edge: Edge,
): boolean {
  const sign = signOf(edge)
  const own = new Set(band.flatMap(({ lines }) => lines))
  const y = sign * (band[0]?.y ?? 0)
  const beyond = pages.filter((lines) => lines.some((line) => sign * line.y >= y && !own.has(line)))
  return beyond.length > pages.length * MOST_BEYOND
}

/** Returns the lines at the edge if they are apart from the text and no larger than it. */
function edgeLine(lines: readonly PdfLine[], edge: Edge, bodySize: number): EdgeLine | undefined {
  const sign = signOf(edge)
  let y = Number.NEGATIVE_INFINITY
  for (const line of lines) y = Math.max(y, sign * line.y)
  const own = lines.filter((line) => y - sign * line.y <= SAME_HEIGHT)
  const [first] = own
  if (!first || own.some(({ size }) => size > bodySize + 0.5)) return undefined
  const gap = Math.min(
    ...lines.filter((line) => !own.includes(line)).map((line) => y - sign * line.y),
  )
  if (gap < first.size * ISOLATED) return undefined
  const cells = own.flatMap((line) => line.cells.map(({ text }) => text))
  return { page: first.page, y: first.y, lines: own, cells }
}

/** Groups edge lines by their height on the page, outermost first. */
function bands(found: readonly (EdgeLine | undefined)[], edge: Edge): EdgeLine[][] {
  const sign = signOf(edge)
  const lines = found.flatMap((line) => line ?? [])
  const groups: EdgeLine[][] = []
  for (const line of lines.toSorted((a, b) => sign * (b.y - a.y))) {
    const band = groups.at(-1)
    if (band && Math.abs(line.y - (band[0]?.y ?? 0)) <= SAME_HEIGHT) band.push(line)
    else groups.push([line])
  }
  return groups.filter((band) => band.length >= FEWEST)
}

/** Recognises lines with a page number: the same count start fits at least `FEWEST` pages. */
function pageCounter(lines: readonly EdgeLine[]): (line: EdgeLine) => boolean {
  const starts = new Map<string, number>()
  for (const line of lines) {
    for (const start of possibleStarts(line)) starts.set(start, (starts.get(start) ?? 0) + 1)
  }
  return (line) => possibleStarts(line).some((start) => (starts.get(start) ?? 0) >= FEWEST)
}

/** Returns, for each number at the start or end of the line, the page that would have number 0. */
function possibleStarts({ page, cells }: EdgeLine): string[] {
  const words = cells.join(' ').split(/\s+/)
  return [words[0], words.at(-1)].flatMap((word = '') => {
    const number = /^\W?(\d{1,4})\W?$/.exec(word)?.[1]
    if (number) return [`arabic ${page - Number(number)}`]
    const roman = romanValue(word)
    return roman === undefined ? [] : [`roman ${page - roman}`]
  })
}

/** Whether a cell, apart from numbers, repeats at the same height on a neighbouring page. */
function isRepeated({ page, cells }: EdgeLine, byPage: ReadonlyMap<number, EdgeLine>): boolean {
  const shapes = new Set(cells.map(shape).filter(Boolean))
  return NEIGHBOURS.some((distance) =>
    byPage.get(page + distance)?.cells.some((cell) => shapes.has(shape(cell))),
  )
}
