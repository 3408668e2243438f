import { countTokens } from '../tokens.ts'

const COUNTED_WHOLE = 1 << 18
const SAMPLE = 1 << 13

/** Counts the tokens of a text: exact up to 256 Ki characters, else estimated from samples. */
export function sizeInTokens(text: string): { tokens: number; estimated: boolean } {
  if (text.length <= COUNTED_WHOLE) return { tokens: countTokens(text), estimated: false }
  const step = Math.floor((text.length - SAMPLE) / 7)
  let sampled = 0
  for (let i = 0; i < 8; i++) {
    sampled += countTokens(text.slice(i * step, i * step + SAMPLE))
  }
  return { tokens: Math.round((sampled / (8 * SAMPLE)) * text.length), estimated: true }
}
