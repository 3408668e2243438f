import type { CountTokens } from './chunk.ts'

/** The places where a text may be cut, best first: paragraphs, lines, sentences, words. */
const CUTS: readonly RegExp[] = [
  /(?<=\n\n)/,
  /(?<=\n)/,
  /(?<=[.!?;:]["')\]]?)(?=\s)/,
  /(?<=\s)(?=\S)/,
]

/** Splits a text into pieces of at most `limit` tokens; joined, they are exactly the text. */
export function splitText(text: string, limit: number, count: CountTokens, cut = 0): string[] {
  if (isWithin(text, limit, count)) return [text]
  const separator = CUTS[cut]
  if (!separator) return splitCharacters(text, limit, count)
  const parts = text.split(separator).flatMap((part) => splitText(part, limit, count, cut + 1))
  // Tokens may change where pieces meet, so the sum is an estimate and each piece is counted again.
  return pack(parts, limit, count).flatMap((piece) => splitCharacters(piece, limit, count))
}

/** The most characters a token can have; a longer text is over the limit without being counted. */
const MAX_TOKEN_LENGTH = 128

export function isWithin(text: string, limit: number, count: CountTokens): boolean {
  return text.length <= limit * MAX_TOKEN_LENGTH && count(text) <= limit
}

function pack(parts: readonly string[], limit: number, count: CountTokens): string[] {
  const pieces: string[] = []
  let used = limit
  for (const part of parts) {
    const tokens = count(part)
    if (used + tokens > limit) {
      pieces.push(part)
      used = tokens
    } else {
      pieces[pieces.length - 1] += part
      used += tokens
    }
  }
  return pieces
}

/** Splits a text without spaces: first into stretches that are cheap to count, then into halves. */
function splitCharacters(text: string, limit: number, count: CountTokens): string[] {
  if (text.length > limit * 8) {
    const stretches: string[] = []
    for (let start = 0; start < text.length;) {
      const end = cutPoint(text, start + limit * 4)
      stretches.push(text.slice(start, end))
      start = end
    }
    return stretches.flatMap((stretch) => splitCharacters(stretch, limit, count))
  }
  if (text.length < 2 || count(text) <= limit) return [text]
  const middle = cutPoint(text, Math.ceil(text.length / 2))
  const halves = [text.slice(0, middle), text.slice(middle)].filter(Boolean)
  return halves.length < 2 ? halves : halves.flatMap((half) => splitCharacters(half, limit, count))
}

/** Moves a cut so that it does not split a surrogate pair. */
function cutPoint(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}
