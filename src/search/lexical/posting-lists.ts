import { withRoom } from './growable.ts'

export interface PostingListsState {
  /** Any number of consecutive pieces. */
  readonly arena: readonly Uint32Array[]
  readonly heads: Uint32Array
  readonly tails: Uint32Array
  readonly counts: Uint32Array
}

const MAX_SLICE = 1024
/** The words of a block of the arena, a power of two; no slice spans two blocks. */
const BLOCK = 1 << 20

/**
 * For each term the documents that contain it, each with a packed word of frequencies, all in one
 * arena. A list is a chain of slices that double in size, so that a rare term costs three words and
 * a common one grows without being copied. The arena is most of an index, so it grows by blocks:
 * copying it to grow would need its size once more.
 */
export class PostingLists {
  readonly #blocks: Uint32Array[]
  #used: number
  /** For each list: where it begins, where its next posting goes, how many it has. */
  #heads: Uint32Array
  #tails: Uint32Array
  #counts: Uint32Array

  constructor(state?: PostingListsState) {
    this.#blocks = toBlocks(state?.arena ?? [])
    this.#used = state?.arena.reduce((sum, { length }) => sum + length, 0) ?? 0
    this.#heads = state?.heads ?? new Uint32Array(256)
    this.#tails = state?.tails ?? new Uint32Array(256)
    this.#counts = state?.counts ?? new Uint32Array(256)
  }

  get byteLength(): number {
    const arena = this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return arena + this.#heads.byteLength * 3
  }

  count(term: number): number {
    return this.#counts[term] ?? 0
  }

  /** Documents must arrive in ascending order. */
  append(term: number, document: number, frequencies: number): void {
    this.#heads = withRoom(this.#heads, term + 1)
    this.#tails = withRoom(this.#tails, term + 1)
    this.#counts = withRoom(this.#counts, term + 1)
    const count = this.#counts[term] ?? 0
    const at = count === 0 ? this.#startList(term) : this.#nextPlace(term, count)
    const block = this.#blockOf(at)
    block[at % BLOCK] = document
    block[(at % BLOCK) + 1] = frequencies
    this.#tails[term] = at + 2
    this.#counts[term] = count + 1
  }

  /** Copies a list into the arrays, which have room for `count(term)`, and returns its length. */
  read(term: number, documents: Uint32Array, frequencies: Uint32Array): number {
    const count = this.count(term)
    let next = this.#heads[term] ?? 0
    let size = 1
    for (let done = 0; done < count;) {
      const block = this.#blockOf(next)
      const here = Math.min(size, count - done)
      let at = next % BLOCK
      for (let n = 0; n < here; n++, done++, at += 2) {
        documents[done] = block[at] ?? 0
        frequencies[done] = block[at + 1] ?? 0
      }
      if (done < count) next = block[at] ?? 0
      size = Math.min(size * 2, MAX_SLICE)
    }
    return count
  }

  /** Returns the state as it is in memory: valid until the next change. */
  state(terms: number): PostingListsState {
    return {
      arena: this.#blocks.map((block, at) => block.subarray(0, this.#used - at * BLOCK)),
      heads: withRoom(this.#heads, terms).subarray(0, terms),
      tails: withRoom(this.#tails, terms).subarray(0, terms),
      counts: withRoom(this.#counts, terms).subarray(0, terms),
    }
  }

  #startList(term: number): number {
    const at = this.#newSlice(1)
    this.#heads[term] = at
    return at
  }

  #nextPlace(term: number, count: number): number {
    const tail = this.#tails[term] ?? 0
    const size = sliceAfter(count)
    if (size === 0) return tail
    const at = this.#newSlice(size)
    this.#blockOf(tail)[tail % BLOCK] = at
    return at
  }

  #newSlice(size: number): number {
    const words = size * 2 + 1
    if ((this.#used % BLOCK) + words > BLOCK) {
      this.#grow(BLOCK)
      this.#used = this.#blocks.length * BLOCK
    }
    const at = this.#used
    this.#used += words
    // Most indexes are small and never fill their first block.
    if (at % BLOCK === 0) this.#blocks.push(new Uint32Array(at === 0 ? 1 << 10 : BLOCK))
    this.#grow((at % BLOCK) + words)
    return at
  }

  /** Makes room for this many words in the last block. */
  #grow(words: number): void {
    const last = this.#blocks.pop()
    if (last) this.#blocks.push(withRoom(last, words, BLOCK))
  }

  #blockOf(at: number): Uint32Array {
    const block = this.#blocks[Math.floor(at / BLOCK)]
    if (!block) throw new RangeError(`The arena has no word ${at}`)
    return block
  }
}

function toBlocks(pieces: readonly Uint32Array[]): Uint32Array[] {
  return pieces.flatMap((piece) =>
    Array.from({ length: Math.ceil(piece.length / BLOCK) }, (_, at) =>
      piece.subarray(at * BLOCK, (at + 1) * BLOCK),
    ),
  )
}

/** Returns the size of the next slice if `count` postings fill all slices; 0 if there is room. */
function sliceAfter(count: number): number {
  if (count < MAX_SLICE * 2 - 1) return ((count + 1) & count) === 0 ? count + 1 : 0
  return (count - (MAX_SLICE * 2 - 1)) % MAX_SLICE === 0 ? MAX_SLICE : 0
}
