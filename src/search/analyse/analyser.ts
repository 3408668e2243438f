import { characterNgrams } from './character-ngrams.ts'
import { splitIdentifier } from './split-identifier.ts'
import { stem } from './stem.ts'

/** How a field's text becomes terms, in two steps, so that an index can remember the second one per word. */
export interface Analyser {
  words(text: string): readonly string[]
  /** The terms one word stands for. Pure. */
  terms(word: string): readonly string[]
}

export interface AnalyserOptions {
  /** Splits camelCase, snake_case, acronyms and digits, and keeps the whole identifier as a term too. */
  readonly identifiers?: boolean
  readonly stem?: boolean
  readonly stopWords?: ReadonlySet<string>
  /** Adds every run of this many characters, for fields where a misspelt or partial word should match. */
  readonly ngrams?: number
}

// A digest or an encoded blob is one long word that nobody searches for.
const LONGEST_WORD = 80
const ASCII_WORD = /[A-Za-z0-9_]+/g
const ANY_WORD = /[\p{L}\p{N}\p{M}_]+/gu
const NOT_ASCII = /[^\0-\x7f]/
const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
const MARKS = /\p{M}/gu

export function defineAnalyser(options: AnalyserOptions = {}): Analyser {
  const toTerm = options.stem ? stem : (word: string) => word

  function terms(word: string): readonly string[] {
    if (word.length > LONGEST_WORD) return []
    if (NOT_ASCII.test(word)) return foreignTerms(word)
    const whole = word.toLowerCase()
    if (options.stopWords?.has(whole)) return []
    const found: string[] = []
    const parts = options.identifiers ? splitIdentifier(word) : [whole]
    for (const part of parts) if (!options.stopWords?.has(part)) found.push(toTerm(part))
    if (parts.length > 1) found.push(whole)
    if (options.ngrams) found.push(...characterNgrams(whole, options.ngrams))
    return found
  }

  function foreignTerms(word: string): readonly string[] {
    // Scripts without spaces are indexed by pairs of characters.
    if (IDEOGRAPHS.test(word)) return pairs(word)
    const plain = word.normalize('NFKD').replace(MARKS, '')
    return NOT_ASCII.test(plain) ? [plain.toLowerCase()] : terms(plain)
  }

  return {
    words: (text) => text.match(NOT_ASCII.test(text) ? ANY_WORD : ASCII_WORD) ?? [],
    terms,
  }
}

function pairs(word: string): string[] {
  const characters = Array.from(word.toLowerCase())
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
