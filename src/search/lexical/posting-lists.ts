import { withRoom } from './growable.ts'

export interface PostingListsState {
  readonly arena: Uint32Array
  readonly heads: Uint32Array
  readonly tails: Uint32Array
  readonly counts: Uint32Array
}

const LARGEST_SLICE = 1024

/**
 * For each term the documents that hold it, each with a packed word of frequencies, all in one arena.
 * A list is a chain of slices that double in size, so that a rare term costs three words
 * and a common one grows without being copied.
 */
export class PostingLists {
  #arena: Uint32Array
  #used: number
  /** Where a list begins, where its next posting goes, how many it has. */
  #heads: Uint32Array
  #tails: Uint32Array
  #counts: Uint32Array

  constructor(state?: PostingListsState) {
    this.#arena = state?.arena ?? new Uint32Array(1 << 10)
    this.#used = state?.arena.length ?? 0
    this.#heads = state?.heads ?? new Uint32Array(256)
    this.#tails = state?.tails ?? new Uint32Array(256)
    this.#counts = state?.counts ?? new Uint32Array(256)
  }

  get byteLength(): number {
    return this.#arena.byteLength + this.#heads.byteLength * 3
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
    this.#arena[at] = document
    this.#arena[at + 1] = frequencies
    this.#tails[term] = at + 2
    this.#counts[term] = count + 1
  }

  /** Copies a list into the two arrays, which have room for `count(term)`, and answers its length. */
  read(term: number, documents: Uint32Array, frequencies: Uint32Array): number {
    const count = this.count(term)
    const arena = this.#arena
    let at = this.#heads[term] ?? 0
    let size = 1
    for (let done = 0; done < count;) {
      const here = Math.min(size, count - done)
      for (let n = 0; n < here; n++, done++, at += 2) {
        documents[done] = arena[at] ?? 0
        frequencies[done] = arena[at + 1] ?? 0
      }
      if (done < count) at = arena[at] ?? 0
      size = Math.min(size * 2, LARGEST_SLICE)
    }
    return count
  }

  state(terms: number): PostingListsState {
    return {
      arena: this.#arena.slice(0, this.#used),
      heads: withRoom(this.#heads, terms).slice(0, terms),
      tails: withRoom(this.#tails, terms).slice(0, terms),
      counts: withRoom(this.#counts, terms).slice(0, terms),
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
    this.#arena[tail] = at
    return at
  }

  #newSlice(size: number): number {
    const at = this.#used
    this.#used += size * 2 + 1
    this.#arena = withRoom(this.#arena, this.#used)
    return at
  }
}

/** The size of the slice to begin when `count` postings fill the slices so far; 0 when there is room left. */
function sliceAfter(count: number): number {
  if (count < LARGEST_SLICE * 2 - 1) return ((count + 1) & count) === 0 ? count + 1 : 0
  return (count - (LARGEST_SLICE * 2 - 1)) % LARGEST_SLICE === 0 ? LARGEST_SLICE : 0
}
