import { detached } from '../../base/text/detached.ts'
import type { Analyser } from '../analyse/analyser.ts'
import { withRoom } from './growable.ts'
import type { TermTable } from './term-table.ts'

const MAX_REMEMBERED = 100_000
const MAX_COUNTED = 255

/** Counts the terms of one document at a time, a byte per field; caches the terms of a word. */
export class TermCounter {
  readonly #terms: TermTable
  readonly #remembered = new Map<Analyser, Map<string, readonly number[]>>()
  #packed = new Uint32Array(256)
  #seen: number[] = []

  constructor(terms: TermTable) {
    this.#terms = terms
  }

  /** Counts a field's text into its byte and returns the number of its terms. */
  count(analyser: Analyser, text: string, field: number): number {
    let length = 0
    const shift = field * 8
    for (const word of analyser.words(text)) {
      for (const term of this.#termsOf(analyser, word)) {
        this.#bump(term, shift)
        length++
      }
    }
    return length
  }

  /** Reports each counted term with its packed frequencies, and starts over. */
  flush(each: (term: number, frequencies: number) => void): void {
    for (const term of this.#seen) {
      each(term, this.#packed[term] ?? 0)
      this.#packed[term] = 0
    }
    this.#seen = []
  }

  #bump(term: number, shift: number): void {
    if (term >= this.#packed.length) this.#packed = withRoom(this.#packed, term + 1)
    const packed = this.#packed[term] ?? 0
    if (packed === 0) this.#seen.push(term)
    if (((packed >>> shift) & MAX_COUNTED) < MAX_COUNTED) this.#packed[term] = packed + 2 ** shift
  }

  #termsOf(analyser: Analyser, word: string): readonly number[] {
    let known = this.#remembered.get(analyser)
    if (!known) this.#remembered.set(analyser, (known = new Map()))
    const found = known.get(word)
    if (found) return found
    const terms = analyser.terms(word).map((term) => this.#terms.add(term))
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(detached(word), terms)
    return terms
  }
}
