import { type Field, MAX_FIELDS, type QueryTerm } from './field.ts'
import { withRoom } from './growable.ts'
import { type BestOptions, Matches, type Norms } from './matches.ts'
import { PostingLists, type PostingListsState } from './posting-lists.ts'
import { TermCounter } from './term-counter.ts'
import { TermTable, type TermTableState } from './term-table.ts'
import type { ScoredDocument } from './top-hits.ts'

export interface FieldIndexState {
  readonly terms: TermTableState
  readonly postings: PostingListsState
  /** The length of every field of every document; a removed document has 1 in `removed`. */
  readonly lengths: readonly Uint32Array[]
  readonly removed: Uint8Array
}

export interface SearchOptions extends BestOptions {
  /** Documents below it may be left out. */
  readonly minScore?: number
}

/**
 * BM25F over documents that are numbered in order of arrival. A score is the share of the query's
 * information (idf) that the document contains, 0..1, so that scores of different queries can be
 * compared. Removing a document only marks it: statistics are exact at once, `compact` frees the
 * space.
 */
export class FieldIndex {
  readonly #fields: readonly Field[]
  readonly #terms: TermTable
  readonly #postings: PostingLists
  readonly #counter: TermCounter
  #lengths: Uint32Array[]
  #removed: Uint8Array
  #size: number
  #removedCount = 0
  readonly #totals: number[]
  readonly #longest: number[]
  /** Undefined after a change. */
  #norms: Norms | undefined
  readonly #matches: Matches
  #documents = new Uint32Array(256)
  #frequencies = new Uint32Array(256)

  constructor(fields: readonly Field[], state?: FieldIndexState) {
    if (fields.length === 0 || fields.length > MAX_FIELDS)
      throw new RangeError(`An index has 1 to ${MAX_FIELDS} fields, not ${fields.length}`)
    this.#fields = fields
    this.#matches = new Matches(fields.length)
    this.#terms = new TermTable(state?.terms)
    this.#postings = new PostingLists(state?.postings)
    this.#counter = new TermCounter(this.#terms)
    this.#removed = state?.removed ?? new Uint8Array(64)
    this.#size = state?.removed.length ?? 0
    this.#lengths = fields.map((_, field) => state?.lengths[field] ?? new Uint32Array(64))
    this.#totals = fields.map(() => 0)
    this.#longest = fields.map(() => 0)
    for (let document = 0; document < this.#size; document++) this.#account(document, 1)
  }

  /** The number of documents, without removed ones. */
  get size(): number {
    return this.#size - this.#removedCount
  }

  /** The number of document numbers in use, including those of removed documents. */
  get numbered(): number {
    return this.#size
  }

  get byteLength(): number {
    const lengths = this.#lengths.reduce((sum, each) => sum + each.byteLength, 0)
    return this.#terms.byteLength + this.#postings.byteLength + lengths + this.#removed.byteLength
  }

  /** Adds a document, one text per field, and returns its number. */
  add(texts: readonly string[]): number {
    const document = this.#size++
    this.#removed = withRoom(this.#removed, this.#size)
    this.#lengths = this.#lengths.map((each) => withRoom(each, this.#size))
    for (const [field, { analyser }] of this.#fields.entries()) {
      const length = this.#counter.count(analyser, texts[field] ?? '', field)
      const lengths = this.#lengths[field]
      if (lengths) lengths[document] = length
    }
    this.#counter.flush((term, frequencies) => this.#postings.append(term, document, frequencies))
    this.#account(document, 1)
    return document
  }

  remove(document: number): void {
    if (document >= this.#size || this.#removed[document]) return
    this.#account(document, -1)
    this.#removed[document] = 1
    this.#removedCount++
  }

  isRemoved(document: number): boolean {
    return document >= this.#size || this.#removed[document] === 1
  }

  /** Returns the number of documents that contain a term. */
  documentFrequency(term: string): number {
    const number = this.#terms.find(term)
    return number < 0 ? 0 : this.#load(number)
  }

  /** Calls `each` for every document that contains the term. */
  forEachPosting(term: string, each: (document: number, frequencies: number) => void): void {
    const number = this.#terms.find(term)
    const count = number < 0 ? 0 : this.#load(number)
    const documents = this.#documents.slice(0, count)
    const frequencies = this.#frequencies.slice(0, count)
    for (let at = 0; at < count; at++) each(documents[at] ?? 0, frequencies[at] ?? 0)
  }

  /**
   * Returns the best documents. The rarest terms come first: once the remaining terms cannot lift a
   * document to `minScore` by themselves, they only add to documents already found.
   */
  search(query: readonly QueryTerm[], options: SearchOptions): ScoredDocument[] {
    const { minScore = 0 } = options
    const terms = query
      .map((each) => ({ ...each, ...this.#bounds(each) }))
      .toSorted((a, b) => b.most - a.most)
    const whole = terms.reduce((sum, { least, extra }) => sum + (extra ? 0 : least), 0)
    let left = terms.reduce((sum, { most }) => sum + most, 0)
    const matches = this.#begin()
    for (const term of terms) {
      this.#add(matches, term, { bit: 0, isClosed: left < minScore * whole })
      left -= term.most
    }
    return matches.best(options)
  }

  /**
   * Returns everything the query found; valid until the next query. Terms are marked by their
   * position in the query.
   */
  match(query: readonly QueryTerm[]): Matches {
    const matches = this.#begin()
    for (const [position, term] of query.entries())
      this.#add(matches, term, { bit: Matches.bitOf(position), isClosed: false })
    return matches
  }

  #begin(): Matches {
    this.#matches.begin(this.#size, this.#currentNorms())
    return this.#matches
  }

  #add(
    matches: Matches,
    { term, weight, extra }: QueryTerm,
    how: { readonly bit: number; readonly isClosed: boolean },
  ): void {
    const number = this.#terms.find(term)
    const count = number < 0 ? 0 : this.#load(number)
    const share = weight * this.idf(count)
    if (!extra) matches.expect(share)
    if (count === 0) return
    const documents = this.#documents
    const frequencies = this.#frequencies
    matches.add({ documents, frequencies, count, share, ...how })
  }

  /**
   * Returns the bounds of what a term is worth: how many of its documents are removed is known only
   * once they are read.
   */
  #bounds({ term, weight }: QueryTerm): { readonly least: number; readonly most: number } {
    const number = this.#terms.find(term)
    const all = number < 0 ? 0 : this.#postings.count(number)
    return {
      least: weight * this.idf(Math.min(all, this.size)),
      most: weight * this.idf(Math.max(0, all - this.#removedCount)),
    }
  }

  /** Returns the state without copying it: valid until the next change. */
  state(): FieldIndexState {
    return {
      terms: this.#terms.state(),
      postings: this.#postings.state(this.#terms.size),
      lengths: this.#lengths.map((each) => each.subarray(0, this.#size)),
      removed: this.#removed.subarray(0, this.#size),
    }
  }

  /**
   * Returns a copy without the removed documents, and the new number of each document. Terms
   * without documents are dropped too.
   */
  compact(): { readonly index: FieldIndex; readonly numbers: Int32Array } {
    const index = new FieldIndex(this.#fields)
    const numbers = new Int32Array(this.#size).fill(-1)
    for (let document = 0; document < this.#size; document++)
      if (!this.#removed[document]) numbers[document] = index.#adopt(this.#lengths, document)
    for (let term = 0; term < this.#terms.size; term++) {
      const count = this.#load(term)
      if (count === 0) continue
      const number = index.#terms.add(this.#terms.text(term))
      for (let at = 0; at < count; at++) {
        const document = numbers[this.#documents[at] ?? 0] ?? 0
        index.#postings.append(number, document, this.#frequencies[at] ?? 0)
      }
    }
    return { index, numbers }
  }

  #adopt(lengths: readonly Uint32Array[], from: number): number {
    const document = this.#size++
    this.#removed = withRoom(this.#removed, this.#size)
    this.#lengths = this.#lengths.map((each, field) => {
      const roomy = withRoom(each, this.#size)
      roomy[document] = lengths[field]?.[from] ?? 0
      return roomy
    })
    this.#account(document, 1)
    return document
  }

  #account(document: number, sign: 1 | -1): void {
    this.#norms = undefined
    if (this.#removed[document]) {
      this.#removedCount++
      return
    }
    for (const [field, lengths] of this.#lengths.entries()) {
      const length = lengths[document] ?? 0
      this.#totals[field] = (this.#totals[field] ?? 0) + sign * length
      this.#longest[field] = Math.max(this.#longest[field] ?? 0, length)
    }
  }

  /** Reads a term's documents, without removed ones, into the scratch arrays; returns how many. */
  #load(term: number): number {
    const all = this.#postings.count(term)
    this.#documents = withRoom(this.#documents, all)
    this.#frequencies = withRoom(this.#frequencies, all)
    this.#postings.read(term, this.#documents, this.#frequencies)
    if (this.#removedCount === 0) return all
    let living = 0
    for (let at = 0; at < all; at++) {
      const document = this.#documents[at] ?? 0
      if (this.#removed[document]) continue
      this.#documents[living] = document
      this.#frequencies[living++] = this.#frequencies[at] ?? 0
    }
    return living
  }

  /** Returns how much information a term carries that occurs in this many documents. */
  idf(documentFrequency: number): number {
    return Math.log(1 + (this.size - documentFrequency + 0.5) / (documentFrequency + 0.5))
  }

  #currentNorms(): Norms {
    this.#norms ??= {
      lengths: this.#lengths,
      byLength: this.#fields.map((field, number) => {
        const { weight = 1, lengthPenalty = 0.75 } = field
        const mean = (this.#totals[number] ?? 0) / Math.max(1, this.size) || 1
        const norm = new Float32Array((this.#longest[number] ?? 0) + 1)
        for (let length = 0; length < norm.length; length++)
          norm[length] = weight / (1 - lengthPenalty + (lengthPenalty * length) / mean)
        return norm
      }),
    }
    return this.#norms
  }
}
