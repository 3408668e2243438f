import { countMerged } from './tokens/merge.ts'
import { split } from './tokens/split.ts'
import { MAX_TOKEN_LENGTH, Vocabulary } from './tokens/vocabulary.ts'

/**
 * Bounds the memory of one merge (28 bytes per byte). A longer unbroken run is counted in parts,
 * which may differ from the reference by one token per part.
 */
const MAX_MERGE_LENGTH = 1 << 20

const REMEMBERED_PIECES = 20_000
const MAX_REMEMBERED_LENGTH = 40

/** Counts tokens of cl100k_base exactly; special tokens such as `<|endoftext|>` count as ordinary text. */
export function countTokens(text: string): number {
  return countUpTo(text, Infinity)
}

/** Whether `text` takes at most `limit` tokens: exact, at a cost bound by the limit. */
export function fits(text: string, limit: number): boolean {
  // A token has 1 to MAX_TOKEN_LENGTH bytes; most calls end here, without loading a vocabulary.
  if (text.length * 3 <= limit) return true
  if (text.length > limit * MAX_TOKEN_LENGTH) return false
  if (text.length <= limit && Buffer.byteLength(text) <= limit) return true
  return countUpTo(text, limit) <= limit
}

/** Returns the exact count if it is at most `limit`, else some number above it, found early. */
export function countUpTo(text: string, limit: number): number {
  counter ??= new PieceCounter(Vocabulary.load())
  let tokens = 0
  for (let start = 0; start < text.length && tokens <= limit;) {
    const end = split(text, start)
    const atLeast = (end - start) / MAX_TOKEN_LENGTH
    tokens += tokens + atLeast > limit ? Math.ceil(atLeast) : counter.piece(text, start, end)
    start = end
  }
  return tokens
}

let counter: PieceCounter | undefined

class PieceCounter {
  readonly #vocabulary: Vocabulary
  readonly #remembered = new Map<string, number>()
  readonly #encoder = new TextEncoder()
  #bytes = new Uint8Array(1024)

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  piece(text: string, start: number, end: number): number {
    const length = this.#write(text, start, end)
    if (length === 1 || this.#vocabulary.find(this.#bytes, 0, length) >= 0) return 1
    if (length > MAX_REMEMBERED_LENGTH) return this.#merge(length)
    const piece = text.slice(start, end)
    let tokens = this.#remembered.get(piece)
    if (tokens === undefined) {
      tokens = this.#merge(length)
      if (this.#remembered.size >= REMEMBERED_PIECES) this.#remembered.clear()
      this.#remembered.set(piece, tokens)
    }
    return tokens
  }

  #merge(length: number): number {
    let tokens = 0
    for (let from = 0; from < length; from += MAX_MERGE_LENGTH) {
      const part = this.#bytes.subarray(from)
      tokens += countMerged(this.#vocabulary, part, Math.min(length - from, MAX_MERGE_LENGTH))
    }
    if (this.#bytes.length > MAX_MERGE_LENGTH) this.#bytes = new Uint8Array(1024)
    return tokens
  }

  /** Writes the piece into `#bytes` as UTF-8 and returns its length. */
  #write(text: string, start: number, end: number): number {
    if (this.#bytes.length < (end - start) * 3) this.#bytes = new Uint8Array((end - start) * 3)
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) return this.#encoder.encodeInto(text.slice(start, end), this.#bytes).written
      this.#bytes[i - start] = unit
    }
    return end - start
  }
}
