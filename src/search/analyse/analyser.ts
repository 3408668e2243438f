import { stem } from './stem.ts'
import { isAscii, wordParts } from './word-parts.ts'

/** Turns a field's text into terms in two steps, so that the second can be cached per word. */
export interface Analyser {
  words(text: string): readonly string[]
  /** Returns the terms of one word. Pure. */
  terms(word: string): readonly string[]
}

export interface AnalyserOptions {
  /** Splits camelCase, snake_case, acronyms and digits, and keeps the whole identifier too. */
  readonly identifiers?: boolean
  readonly stem?: boolean
  readonly stopWords?: ReadonlySet<string>
  /** Adds every run of this many characters, so that misspelt or partial words match. */
  readonly ngrams?: number
}

// A digest or an encoded blob is one long word that nobody searches for.
const MAX_WORD_LENGTH = 80
const NO_WORDS: ReadonlySet<string> = new Set()
const ASCII_WORD = /[A-Za-z0-9_]+/g
const ANY_WORD = /[\p{L}\p{N}\p{M}_]+/gu

export function defineAnalyser(options: AnalyserOptions = {}): Analyser {
  const { identifiers = false, stopWords = NO_WORDS, ngrams } = options
  const toTerm = options.stem ? stem : (word: string) => word

  function terms(word: string): readonly string[] {
    if (word.length > MAX_WORD_LENGTH && isAscii(word)) return []
    const { parts, whole } = wordParts(word, { identifiers })
    const found = parts.filter((part) => !stopWords.has(part)).map(toTerm)
    if (whole === undefined) return found
    if (whole.length > MAX_WORD_LENGTH || stopWords.has(whole)) return []
    if (parts.length > 1) found.push(whole)
    if (ngrams && isAscii(whole)) found.push(...characterNgrams(whole, ngrams))
    return found
  }

  return { words: wordsOf, terms }
}

/** Returns the words of a text, in any script. */
export function wordsOf(text: string): readonly string[] {
  return text.match(isAscii(text) ? ASCII_WORD : ANY_WORD) ?? []
}

/**
 * Returns every run of `size` characters of a word with marked ends, so that misspelt and partial
 * words still match.
 */
function characterNgrams(word: string, size: number): string[] {
  const marked = `^${word}$`
  if (marked.length <= size) return [marked]
  const grams: string[] = []
  for (let at = 0; at + size <= marked.length; at++) grams.push(marked.slice(at, at + size))
  return grams
}
