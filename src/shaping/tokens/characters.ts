/** The properties of a character that the splitting rule of cl100k_base uses, as bits. */
export const LETTER = 1
export const NUMBER = 2
export const SPACE = 4
export const NEWLINE = 8
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

export function bitsAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return characterBits(isHighSurrogate(unit) ? text.codePointAt(index)! : unit)
}

/** How many UTF-16 units the character at `index` takes. */
export function widthAt(text: string, index: number): number {
  return isHighSurrogate(text.charCodeAt(index)) && text.codePointAt(index)! > 0xffff ? 2 : 1
}

/** Returns the index after all characters that have one of the `wanted` bits. */
export function skip(text: string, index: number, wanted: number): number {
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
