/** The properties of a character that the splitting rule of cl100k_base uses, as bits. */
const LETTER = 1
const NUMBER = 2
const SPACE = 4
const NEWLINE = 8
const KNOWN = 128

const RULES: readonly (readonly [number, RegExp])[] = [
  [LETTER, /\p{L}/u],
  [NUMBER, /\p{N}/u],
  // Not `\s`: the reference implementation uses the Unicode property, which differs.
  [SPACE, /\p{White_Space}/u],
  [NEWLINE, /[\r\n]/],
]

const known = new Uint8Array(0x110000)

/** Returns the bits of a code point; the regular expressions run once per character and process. */
function characterBits(codePoint: number): number {
  const bits = known[codePoint]!
  return bits !== 0 ? bits : (known[codePoint] = classify(codePoint))
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  return RULES.reduce((bits, [bit, rule]) => (rule.test(character) ? bits | bit : bits), KNOWN)
}

function bitsAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return characterBits(isHighSurrogate(unit) ? text.codePointAt(index)! : unit)
}

/** How many UTF-16 units the character at `index` takes. */
function widthAt(text: string, index: number): number {
  return isHighSurrogate(text.charCodeAt(index)) && text.codePointAt(index)! > 0xffff ? 2 : 1
}

/** Returns the index after all characters that have one of the `wanted` bits. */
function skip(text: string, index: number, wanted: number): number {
  let at = index
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (isHighSurrogate(unit)) {
      if ((bitsAt(text, at) & wanted) === 0) return at
      at += widthAt(text, at)
    } else {
      if ((characterBits(unit) & wanted) === 0) return at
      at++
    }
  }
  return at
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

const BLANK = 32

/**
 * Returns the end of the piece that starts at `start`; byte pairs never merge across pieces. The
 * rule of cl100k_base is a regular expression in its definition. It is written as a scanner because
 * the expression backtracks on the stack, which 8 MB of one letter exhausts, and because it is slower.
 */
export function split(text: string, start: number): number {
  return (
    contraction(text, start) ??
    word(text, start) ??
    digits(text, start) ??
    symbols(text, start) ??
    blanks(text, start)
  )
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
function word(text: string, start: number): number | undefined {
  const isPrefix = (bitsAt(text, start) & (LETTER | NUMBER | NEWLINE)) === 0
  const from = isPrefix ? start + widthAt(text, start) : start
  const end = skip(text, from, LETTER)
  return end > from ? end : undefined
}

/** `\p{N}{1,3}` */
function digits(text: string, start: number): number | undefined {
  let end = start
  for (let n = 0; n < 3 && end < text.length && (bitsAt(text, end) & NUMBER) !== 0; n++) {
    end += widthAt(text, end)
  }
  return end > start ? end : undefined
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n]*` */
function symbols(text: string, start: number): number | undefined {
  const from = text.charCodeAt(start) === BLANK ? start + 1 : start
  let end = from
  while (end < text.length && (bitsAt(text, end) & (SPACE | LETTER | NUMBER)) === 0) {
    end += widthAt(text, end)
  }
  if (end === from) return undefined
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    if (unit !== 10 && unit !== 13) break
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
