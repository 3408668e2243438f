import { type ScoredDocument, TopHits } from './top-hits.ts'

export interface BestOptions {
  readonly limit: number
  readonly accept?: ((document: number) => boolean) | undefined
}

/** The postings of one term of a query, and what the term is worth. */
export interface TermPostings {
  readonly documents: Uint32Array
  readonly frequencies: Uint32Array
  readonly count: number
  /** The term's part of the whole query. */
  readonly share: number
  /** The bit that marks the term; 0 when nobody asks. */
  readonly bit: number
}

const MOST_MARKED = 32

/** What a query found: a score for every document, and which of its terms stand in which field. */
export class Matches {
  readonly #saturation: number
  readonly #touched: number[] = []
  #scores = new Float64Array(0)
  #marks: Uint32Array[] = []
  #whole = 0
  readonly #information: number[] = []

  constructor(saturation: number) {
    this.#saturation = saturation
  }

  static bitOf(position: number): number {
    return position < MOST_MARKED ? 2 ** position : 0
  }

  /** Forgets the last query and makes room for documents with so many fields. */
  begin(documents: number, fields: number): void {
    for (const document of this.#touched) {
      this.#scores[document] = 0
      for (const marks of this.#marks) marks[document] = 0
    }
    this.#touched.length = 0
    this.#whole = 0
    this.#information.length = 0
    if (this.#scores.length >= documents && this.#marks.length === fields) return
    const room = Math.ceil(documents * 1.25)
    this.#scores = new Float64Array(room)
    this.#marks = Array.from({ length: fields }, () => new Uint32Array(room))
  }

  /** What the whole query is worth: a document that holds all of it, often, comes near 1. */
  expect(share: number): void {
    this.#whole += share
    this.#information.push(share)
  }

  add(term: TermPostings, norms: readonly Float32Array[]): void {
    const { documents, frequencies, count, share, bit } = term
    const scores = this.#scores
    const touched = this.#touched
    for (let at = 0; at < count; at++) {
      const document = documents[at] ?? 0
      let packed = frequencies[at] ?? 0
      let amount = 0
      for (let field = 0; packed !== 0; field++, packed >>>= 8) {
        const often = packed & 255
        if (often === 0) continue
        amount += often * (norms[field]?.[document] ?? 0)
        const marks = this.#marks[field]
        if (marks) marks[document] = (marks[document] ?? 0) | bit
      }
      const before = scores[document] ?? 0
      if (before === 0) touched.push(document)
      scores[document] = before + (share * amount) / (this.#saturation + amount)
    }
  }

  /** 0..1: the share of the query's information that the document holds. */
  score(document: number): number {
    return Math.min(1, (this.#scores[document] ?? 0) / (this.#whole || 1))
  }

  /** The part of the query's information that its terms with these bits carry. */
  informationOf(bits: number): number {
    let sum = 0
    for (const [position, share] of this.#information.entries())
      if (bits & Matches.bitOf(position)) sum += share
    return sum / (this.#whole || 1)
  }

  /** The bits of the query's terms that stand in a field of the document. */
  marks(document: number, field: number): number {
    return this.#marks[field]?.[document] ?? 0
  }

  best(options: BestOptions): ScoredDocument[] {
    const top = new TopHits(options.limit)
    const { accept } = options
    for (const document of this.#touched) {
      const score = this.#scores[document] ?? 0
      if (score > top.bar && (!accept || accept(document))) top.offer(document, score)
    }
    return top.take().map(({ document }) => ({ document, score: this.score(document) }))
  }
}
