import { type ScoredDocument, TopHits } from './top-hits.ts'

/**
 * What one word is worth in a field: less in a long one. A change of any document shifts the mean
 * length and with it every norm, so they are stored by length, of which there are few, and not by
 * document.
 */
export interface Norms {
  /** By field and document. */
  readonly lengths: readonly Uint32Array[]
  /** By field and length. */
  readonly byLength: readonly Float32Array[]
}

export interface BestOptions {
  readonly limit: number
  readonly accept?: ((document: number) => boolean) | undefined
}

/** The postings of one term of a query, and what the term is worth. */
export interface TermPostings {
  readonly documents: Uint32Array
  readonly frequencies: Uint32Array
  readonly count: number
  /** The term's share of the whole query. */
  readonly share: number
  /** The bit that marks the term; 0 when marks are not needed. */
  readonly bit: number
  /** Whether it only adds to documents that other terms have found. */
  readonly isClosed: boolean
}

// The usual BM25 saturation; measured, with the rest of the recipe, in bench/code.ts.
const SATURATION = 1.5
const MAX_MARKED = 32
const NO_LENGTHS = new Uint32Array(0)
const NO_NORMS = new Float32Array(0)

/** The result of a query: a score for every document, and which of its terms are in which field. */
export class Matches {
  readonly #fields: number
  /** Documents touched by this query have its number in `#stamps`; other values are outdated. */
  #touched = new Uint32Array(0)
  #touchedCount = 0
  #query = 0
  #stamps = new Uint32Array(0)
  #scores = new Float64Array(0)
  /** One word per field and document; `#marked` is to it what `#stamps` is to the scores. */
  #marks = new Uint32Array(0)
  #marked = new Uint32Array(0)
  #norms: Norms = { lengths: [], byLength: [] }
  #whole = 0
  readonly #information: number[] = []

  constructor(fields: number) {
    this.#fields = fields
  }

  static bitOf(position: number): number {
    return position < MAX_MARKED ? (1 << position) >>> 0 : 0
  }

  /** Forgets the last query and makes room for this many documents. */
  begin(documents: number, norms: Norms): void {
    this.#norms = norms
    this.#touchedCount = 0
    this.#whole = 0
    this.#information.length = 0
    this.#query++
    if (this.#stamps.length >= documents) return
    const room = Math.ceil(documents * 1.25)
    this.#stamps = new Uint32Array(room)
    this.#touched = new Uint32Array(room)
    this.#scores = new Float64Array(room)
    this.#marks = new Uint32Array(room * this.#fields)
    this.#marked = new Uint32Array(room)
  }

  /** Adds to the worth of the whole query: a document that has all of it, often, comes near 1. */
  expect(share: number): void {
    this.#whole += share
    this.#information.push(share)
  }

  /** The hot loop of every search. */
  // oxlint-disable-next-line complexity -- the fields are written out: a loop over them took a quarter longer
  add({ documents, frequencies, count, share, bit, isClosed }: TermPostings): void {
    const [l0 = NO_LENGTHS, l1 = l0, l2 = l0, l3 = l0] = this.#norms.lengths
    const [n0 = NO_NORMS, n1 = n0, n2 = n0, n3 = n0] = this.#norms.byLength
    const fields = this.#fields
    const marks = this.#marks
    const marked = this.#marked
    const scores = this.#scores
    const stamps = this.#stamps
    const touched = this.#touched
    const query = this.#query
    let touchedCount = this.#touchedCount
    for (let at = 0; at < count; at++) {
      const document = documents[at] ?? 0
      const isFound = stamps[document] === query
      if (isClosed && !isFound) continue
      const packed = frequencies[at] ?? 0
      const in0 = packed & 255
      const in1 = (packed >>> 8) & 255
      const in2 = (packed >>> 16) & 255
      const in3 = packed >>> 24
      let amount = 0
      if (in0 !== 0) amount += in0 * (n0[l0[document] ?? 0] ?? 0)
      if (in1 !== 0) amount += in1 * (n1[l1[document] ?? 0] ?? 0)
      if (in2 !== 0) amount += in2 * (n2[l2[document] ?? 0] ?? 0)
      if (in3 !== 0) amount += in3 * (n3[l3[document] ?? 0] ?? 0)
      const gained = (share * amount) / (SATURATION + amount)
      if (isFound) {
        scores[document] = (scores[document] ?? 0) + gained
      } else {
        stamps[document] = query
        scores[document] = gained
        touched[touchedCount++] = document
      }
      if (bit === 0) continue
      const place = document * fields
      if (marked[document] !== query) {
        marked[document] = query
        for (let field = 0; field < fields; field++) marks[place + field] = 0
      }
      if (in0 !== 0) marks[place] = (marks[place] ?? 0) | bit
      if (in1 !== 0) marks[place + 1] = (marks[place + 1] ?? 0) | bit
      if (in2 !== 0) marks[place + 2] = (marks[place + 2] ?? 0) | bit
      if (in3 !== 0) marks[place + 3] = (marks[place + 3] ?? 0) | bit
    }
    this.#touchedCount = touchedCount
  }

  /** Returns the share of the query's information that the document contains, 0..1. */
  score(document: number): number {
    if (this.#stamps[document] !== this.#query) return 0
    return Math.min(1, (this.#scores[document] ?? 0) / (this.#whole || 1))
  }

  /** Returns the share of the query's information that the terms with these bits carry. */
  informationOf(bits: number): number {
    let sum = 0
    for (const [position, share] of this.#information.entries())
      if (bits & Matches.bitOf(position)) sum += share
    return sum / (this.#whole || 1)
  }

  /** Returns the bits of the query's terms that are in a field of the document. */
  marks(document: number, field: number): number {
    if (this.#marked[document] !== this.#query) return 0
    return this.#marks[document * this.#fields + field] ?? 0
  }

  best(options: BestOptions): ScoredDocument[] {
    const top = new TopHits(options.limit)
    const { accept } = options
    for (let at = 0; at < this.#touchedCount; at++) {
      const document = this.#touched[at] ?? 0
      const score = this.#scores[document] ?? 0
      if (score > top.bar && (!accept || accept(document))) top.offer(document, score)
    }
    return top.take().map(({ document }) => ({ document, score: this.score(document) }))
  }
}
