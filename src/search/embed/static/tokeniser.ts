import { detached } from '../../../base/text/detached.ts'

const MAX_WORD_LENGTH = 32
const MAX_PIECE_LENGTH = 24
/** Inside a word, a shorter entry of the vocabulary is more often a coincidence than a part. */
const MIN_INNER_WORD_LENGTH = 4
const MAX_DIGITS = 8
const MAX_REMEMBERED = 50_000
const CAMEL_PARTS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+/g
const COMBINING_MARKS = /[\u0300-\u036f]/g

type Kind = 'letter' | 'digit' | undefined

/**
 * Splits a text into token numbers of a vocabulary: words, parts of identifiers, pieces of unknown
 * words.
 */
export class Tokeniser {
  readonly #vocabulary: ReadonlyMap<string, number>
  /** A cache: texts repeat their words, so most lookups end here. */
  readonly #remembered = new Map<string, readonly number[]>()

  constructor(vocabulary: ReadonlyMap<string, number>) {
    this.#vocabulary = vocabulary
  }

  tokens(text: string, limit: number): number[] {
    const plain = isAscii(text) ? text : text.normalize('NFKD').replace(COMBINING_MARKS, '')
    const found: number[] = []
    for (let at = 0; at < plain.length && found.length < limit;) {
      const kind = kindOf(plain.charCodeAt(at))
      let end = at + 1
      if (kind !== undefined) {
        while (end < plain.length && kindOf(plain.charCodeAt(end)) === kind) end++
        found.push(...this.#tokensOf(plain.slice(at, end), kind))
      }
      at = end
    }
    return found.length > limit ? found.slice(0, limit) : found
  }

  #tokensOf(run: string, kind: Kind): readonly number[] {
    const known = this.#remembered.get(run)
    if (known) return known
    const tokens = kind === 'letter' ? this.#ofLetters(run) : this.#ofDigits(run)
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    // Longer runs are not words and hardly ever repeat.
    if (run.length <= MAX_WORD_LENGTH) this.#remembered.set(detached(run), tokens)
    return tokens
  }

  /** Keeps a run that is known as a whole (`GitHub`); splits others at their camel-case humps. */
  #ofLetters(run: string): number[] {
    const low = run.toLowerCase()
    const whole = this.#vocabulary.get(low)
    if (whole !== undefined) return [whole]
    const hasNoHumps = run === low || run === run.toUpperCase() || run.slice(1) === low.slice(1)
    if (hasNoHumps) return this.#pieces(low)
    return (run.match(CAMEL_PARTS) ?? []).flatMap((part) => this.#pieces(part.toLowerCase()))
  }

  #ofDigits(run: string): number[] {
    const whole = this.#vocabulary.get(run)
    if (whole !== undefined) return [whole]
    return run
      .slice(0, MAX_DIGITS)
      .split('')
      .flatMap((digit) => this.#vocabulary.get(digit) ?? [])
  }

  /** Greedy: the longest known piece, then the longest that continues from there. */
  #pieces(word: string): number[] {
    const whole = this.#vocabulary.get(word)
    if (whole !== undefined) return [whole]
    const found: number[] = []
    const length = Math.min(word.length, MAX_WORD_LENGTH)
    for (let at = 0; at < length;) {
      let end = Math.min(length, at + MAX_PIECE_LENGTH)
      let token = this.#piece(word, at, end)
      while (token === undefined && end > at + 1) token = this.#piece(word, at, --end)
      if (token !== undefined) found.push(token)
      at = end
    }
    return found
  }

  #piece(word: string, at: number, end: number): number | undefined {
    const piece = word.slice(at, end)
    if (at === 0) return this.#vocabulary.get(piece)
    const inner = end - at >= MIN_INNER_WORD_LENGTH ? this.#vocabulary.get(piece) : undefined
    return inner ?? this.#vocabulary.get(`##${piece}`)
  }
}

function kindOf(code: number): Kind {
  if (code >= 97) return code <= 122 ? 'letter' : undefined
  if (code >= 65) return code <= 90 ? 'letter' : undefined
  return code >= 48 && code <= 57 ? 'digit' : undefined
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}
