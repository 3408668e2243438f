/** A run of text as PDF.js reports it, with its position and font. */
export interface PdfTextItem {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly fontName: string
}

interface PdfCell {
  readonly x: number
  readonly text: string
}

export interface PdfLine {
  readonly page: number
  readonly text: string
  readonly x: number
  /** Distance from the bottom of the page. */
  readonly y: number
  readonly size: number
  readonly font: string
  readonly mono: boolean
  /** The line split at wide gaps; more than one cell suggests a table. */
  readonly cells: readonly PdfCell[]
}

interface PlacedText {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly end: number
  readonly size: number
  readonly font: string
}

/** A gap wider than this many font sizes separates columns; `WORD_GAP` likewise separates words. */
const COLUMN_GAP = 1.2
const WORD_GAP = 0.15
const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g

/** Groups the items of a page, in file order, into lines by their height on the page. */
export function pageLines(
  items: readonly PdfTextItem[],
  page: number,
  isMono: (font: string) => boolean,
): PdfLine[] {
  const prose = fontsOfProse(items)
  const lines: PlacedText[][] = []
  for (const item of items) {
    if (!item.str.trim()) continue
    const placed = place(item)
    const line = lines.at(-1)
    const last = line?.at(-1)
    if (line && last && Math.abs(last.y - placed.y) < Math.max(last.size, placed.size) * 0.5) {
      line.push(placed)
    } else lines.push([placed])
  }
  return lines.map((parts) => toLine(parts, page, (font) => isMono(font) && !prose.has(font)))
}

/** Returns the fonts of Chinese and Japanese text, which look monospaced although they are not. */
function fontsOfProse(items: readonly PdfTextItem[]): ReadonlySet<string> {
  const balance = new Map<string, number>()
  for (const { str, fontName } of items) {
    const wide = str.match(WIDE)?.length ?? 0
    balance.set(fontName, (balance.get(fontName) ?? 0) + 3 * wide - str.length)
  }
  return new Set([...balance].flatMap(([font, left]) => (left > 0 ? [font] : [])))
}

/** Whether a line is nearly all monospaced; in a line of text, one long address may be. */
function isCode(parts: readonly PlacedText[], isMono: (font: string) => boolean): boolean {
  const length = (some: readonly PlacedText[]) =>
    some.reduce((sum, { text }) => sum + text.length, 0)
  return length(parts.filter(({ font }) => isMono(font))) >= 0.75 * length(parts)
}

/** Combines TeX's accents with the letter after them ("Br¨oker"), except after Greek letters. */
function composed(text: string): string {
  return text.replace(ACCENTED, (whole: string, accent: string, letter: string) => {
    const base = letter === 'ı' ? 'i' : letter
    const one = `${base}${COMBINING[accent]}`.normalize('NFC')
    return one.length === 1 ? one : whole
  })
}

const COMBINING: Readonly<Record<string, string>> = {
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
  '¸': '\u0327',
}
const ACCENTED = new RegExp(
  `(?<![\\u0370-\\u03ff])([${Object.keys(COMBINING).join('')}])([A-Za-zı])`,
  'g',
)

function place({ str, transform, width, fontName }: PdfTextItem): PlacedText {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform
  return { text: str, x, y, end: x + width, size: Math.hypot(a, b) || 1, font: fontName }
}

/** Whether a raised number after a word, or before a line, is the mark of a note: not in "m2". */
function isNoteMark(last: PlacedText | undefined, part: PlacedText, before: string): boolean {
  if (!last) return false
  const isRaised = (mark: PlacedText, text: PlacedText) =>
    /^\s*\d{1,3}\s*$/.test(mark.text) && mark.size < 0.85 * text.size && mark.y > text.y
  return (
    (isRaised(part, last) && /\p{L}{3}$/u.test(before)) ||
    (isRaised(last, part) && /^\s*\d+\s*$/.test(before))
  )
}

function toLine(
  parts: readonly PlacedText[],
  page: number,
  isMono: (font: string) => boolean,
): PdfLine {
  const sorted = parts.toSorted((a, b) => a.x - b.x)
  const cells: { x: number; text: string }[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const [at, part] of sorted.entries()) {
    const gap = part.x - end
    const cell = cells.at(-1)
    if (!cell || gap > part.size * COLUMN_GAP) cells.push({ x: part.x, text: part.text })
    else {
      const isApart = gap > part.size * WORD_GAP || isNoteMark(sorted[at - 1], part, cell.text)
      cell.text += (isApart ? ' ' : '') + part.text
    }
    end = Math.max(end, part.end)
  }
  const main = sorted.reduce((a, b) => (b.text.length > a.text.length ? b : a))
  const clean = cells.map(({ x, text }) => ({
    x,
    text: composed(text.replace(/\s+/g, ' ').trim()),
  }))
  return {
    page,
    text: clean.map(({ text }) => text).join(' '),
    x: sorted[0]?.x ?? 0,
    y: main.y,
    size: Math.round(main.size * 2) / 2,
    font: main.font,
    mono: isCode(sorted, isMono),
    cells: clean,
  }
}
