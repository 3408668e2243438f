import type { PdfLine } from './pdf-lines.ts'

/** The typography of a document. */
export interface PdfStyle {
  /** The size and font of most of the text. */
  readonly bodySize: number
  readonly bodyFont: string
  /** Sizes larger than the body, largest first. */
  readonly headingSizes: readonly number[]
}

export const BULLET = /^(?:[•●▪◦–—*-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S/

export function documentStyle(lines: readonly PdfLine[]): PdfStyle {
  const bodySize = mostCommon(lines, ({ size }) => size) ?? 10
  const body = lines.filter(({ size }) => size === bodySize)
  const larger = lines.map(({ size }) => size).filter((size) => size > bodySize + 0.5)
  return {
    bodySize,
    bodyFont: mostCommon(body, ({ font }) => font) ?? '',
    headingSizes: [...new Set(larger)].toSorted((a, b) => b - a),
  }
}

export function isLarger(line: PdfLine, { bodySize }: PdfStyle): boolean {
  return line.size > bodySize + 0.5
}

/** Whether a line is directly below another, with normal line spacing. */
export function isNextLine(last: PdfLine, line: PdfLine): boolean {
  const gap = last.y - line.y
  return gap > 0 && gap < line.size * 1.75
}

function mostCommon<Key>(
  lines: readonly PdfLine[],
  keyOf: (line: PdfLine) => Key,
): Key | undefined {
  const weight = new Map<Key, number>()
  for (const line of lines) {
    const key = keyOf(line)
    weight.set(key, (weight.get(key) ?? 0) + line.text.length)
  }
  return [...weight].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}
