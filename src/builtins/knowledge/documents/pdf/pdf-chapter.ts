import { clauseNumber } from '../clause-number.ts'
import { romanValue } from '../roman-number.ts'
import type { PdfLine } from './pdf-lines.ts'

const LABEL = /^(chapter|part|appendix|annex)\b\s*(\S*)$/i

/**
 * Joins a chapter label with the title below it ("Chapter 4" above "Ropes", or "CHAPTER", "FOUR",
 * "ROPES" in three lines) into one line, so that the chapter number is found.
 */
export function joinChapterLabels(
  lines: readonly PdfLine[],
  isTitle: (line: PdfLine) => boolean,
): PdfLine[] {
  const joined: PdfLine[] = []
  for (let at = 0; at < lines.length;) {
    const found = chapterAt(lines, at, isTitle)
    const line = found?.line ?? lines[at]
    if (line) joined.push(line)
    at += found?.taken ?? 1
  }
  return joined
}

function chapterAt(
  lines: readonly PdfLine[],
  at: number,
  isTitle: (line: PdfLine) => boolean,
): { readonly line: PdfLine; readonly taken: number } | undefined {
  const found = labelAt(lines, at)
  const title = found && lines[at + found.length]
  if (!title || title.page !== lines[at]?.page) return undefined
  if (!isTitle(title) || clauseNumber(title.text)) return undefined
  const text = `${found.label} ${title.text}`
  return { line: { ...title, text, cells: [{ x: title.x, text }] }, taken: found.length + 1 }
}

/** Reads a label such as "Chapter 4." from one line or two. */
function labelAt(
  lines: readonly PdfLine[],
  at: number,
): { readonly label: string; readonly length: number } | undefined {
  const [, word, sameLine] = LABEL.exec(lines[at]?.text ?? '') ?? []
  if (!word) return undefined
  const number = chapterNumber(sameLine || (lines[at + 1]?.text ?? ''))
  return number ? { label: `${word} ${number}.`, length: sameLine ? 1 : 2 } : undefined
}

/** Returns the number as it is cited, from "4", "A", "FOUR" or "IV"; undefined for other text. */
function chapterNumber(text: string): string | undefined {
  const plain = text.replace(/[.:]$/, '')
  if (/^\d{1,3}$/.test(plain)) return plain
  const value = numberOfWords(plain) ?? (plain.length > 1 ? romanValue(plain) : undefined)
  if (value !== undefined) return String(value)
  return /^[A-Z]$/.test(plain) ? plain : undefined
}

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

const WORDS = new Map([
  ...ONES.map((word, value) => [word, value] as const),
  ...TENS.flatMap((word, at) =>
    ONES.slice(0, 10).map(
      (one, value) => [value ? word + one : word, (at + 2) * 10 + value] as const,
    ),
  ),
])

/** Returns 23 for "TWENTY-THREE" or LaTeX's "TWENTYTHREE"; undefined if not a number below 100. */
function numberOfWords(text: string): number | undefined {
  return WORDS.get(text.toLowerCase().replace(/[\s-]+/g, ''))
}
