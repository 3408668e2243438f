import {
  CAPITAL,
  LETTER,
  NEWLINE,
  NUMBER,
  SMALL,
  SPACE,
  bitsAt,
  skip,
  widthAt,
} from './characters.ts'

/** Returns the end of the piece that starts at `start`. Byte pairs never merge across pieces. */
export type Split = (text: string, start: number) => number

const SLASH = 47
const BLANK = 32

/*
 * Both rules are regular expressions in their definition. They are written as scanners because the
 * expression backtracks on the stack, which 8 MB of one letter exhausts, and because it is slower.
 */

export const splitCl100k: Split = (text, start) =>
  contraction(text, start) ?? plainWord(text, start) ?? remainder(text, start, false)

export const splitO200k: Split = (text, start) =>
  casedWord(text, start) ?? remainder(text, start, true)

function remainder(text: string, start: number, slashes: boolean): number {
  return digits(text, start) ?? symbols(text, start, slashes) ?? blanks(text, start)
}

/** `(?i:'s|'t|'re|'ve|'m|'ll|'d)` */
function contraction(text: string, start: number): number | undefined {
  if (text.charCodeAt(start) !== 39) return undefined
  const next = text.slice(start + 1, start + 3).toLowerCase()
  // U+017F, the long s, folds to s in the reference.
  if (/^[stmd\u017f]/.test(next)) return start + 2
  return next === 're' || next === 've' || next === 'll' ? start + 3 : undefined
}

/** `[^\r\n\p{L}\p{N}]?\p{L}+` */
function plainWord(text: string, start: number): number | undefined {
  const from = afterPrefix(text, start)
  const end = skip(text, from, LETTER)
  return end > from ? end : undefined
}

function afterPrefix(text: string, start: number): number {
  const isPrefix = (bitsAt(text, start) & (LETTER | NUMBER | NEWLINE)) === 0
  return isPrefix ? start + widthAt(text, start) : start
}

/** Capitals and then small letters, or capitals alone, with an optional contraction at the end. */
function casedWord(text: string, start: number): number | undefined {
  const from = afterPrefix(text, start)
  const end =
    capitalsThenSmall(text, from) ??
    // A mark may be the prefix or the first letter, so the match is retried without a prefix.
    (from === start ? undefined : capitalsThenSmall(text, start)) ??
    capitals(text, from) ??
    capitals(text, start)
  return end === undefined ? undefined : (contraction(text, end) ?? end)
}

/** `[capital]*[small]+`; gives back capitals that are also small letters, as backtracking would. */
function capitalsThenSmall(text: string, from: number): number | undefined {
  const capitalEnd = skip(text, from, CAPITAL)
  const end = skip(text, capitalEnd, SMALL)
  if (end > capitalEnd) return end
  for (let at = capitalEnd; at > from;) {
    const previous = at - (isLowSurrogate(text, at - 1) && at - 2 >= from ? 2 : 1)
    if ((bitsAt(text, previous) & SMALL) !== 0) return at
    at = previous
  }
  return undefined
}

/** `[capital]+[small]*` */
function capitals(text: string, from: number): number | undefined {
  const end = skip(text, from, CAPITAL)
  return end > from ? skip(text, end, SMALL) : undefined
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff && widthAt(text, index - 1) === 2
}

/** `\p{N}{1,3}` */
function digits(text: string, start: number): number | undefined {
  let end = start
  for (let n = 0; n < 3 && end < text.length && (bitsAt(text, end) & NUMBER) !== 0; n++) {
    end += widthAt(text, end)
  }
  return end > start ? end : undefined
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n]*`, and slashes among the line ends in o200k_base. */
function symbols(text: string, start: number, slashes: boolean): number | undefined {
  const from = text.charCodeAt(start) === BLANK ? start + 1 : start
  let end = from
  while (end < text.length && (bitsAt(text, end) & (SPACE | LETTER | NUMBER)) === 0) {
    end += widthAt(text, end)
  }
  if (end === from) return undefined
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    if (unit !== 10 && unit !== 13 && !(slashes && unit === SLASH)) break
    end++
  }
  return end
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` */
function blanks(text: string, start: number): number {
  const end = skip(text, start, SPACE)
  for (let at = end; at > start; at--) {
    const unit = text.charCodeAt(at - 1)
    if (unit === 10 || unit === 13) return at
  }
  const keepsOneForTheNextWord = end < text.length && end - start > 1
  // A character that no rule covers is a piece of its own, so that the scan always advances.
  return Math.max(keepsOneForTheNextWord ? end - 1 : end, start + widthAt(text, start))
}
