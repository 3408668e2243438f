import { FieldIndex, type FieldIndexState } from './lexical/field-index.ts'
import type { Field, QueryTerm } from './lexical/field.ts'
import { withRoom } from './lexical/growable.ts'

export interface TextHit {
  readonly id: string
  /** 0..1: the share of the query's information that the document contains. */
  readonly score: number
}

export interface TextSearch {
  readonly limit?: number
  readonly minScore?: number
  readonly accept?: (id: string, label: number) => boolean
  /** Further words that raise a score if present, such as synonyms; each counts this much. */
  readonly also?: { readonly words: readonly string[]; readonly weight: number }
}

export interface TextIndexState {
  readonly ids: readonly string[]
  /** One per id; empty if no label was ever set. */
  readonly labels: Uint32Array
  readonly fields: readonly string[]
  readonly lexical: FieldIndexState
}

/** The texts of a document, by field; a field left out is empty. */
export type TextDocument<Name extends string> = Partial<Readonly<Record<Name, string>>>

const SPACE_TO_RECLAIM = 0.3
const SMALL = 1000

/** Full-text search over named documents: knowledge, traces, tools. */
export class TextIndex<Name extends string> {
  readonly #names: readonly Name[]
  readonly #fields: readonly Field[]
  #lexical: FieldIndex
  #ids: string[]
  #labels: Uint32Array
  #numbers: Map<string, number>

  constructor(fields: Readonly<Record<Name, Field>>, state?: TextIndexState) {
    // The keys of a record are its names; TypeScript only promises strings.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.#names = Object.keys(fields) as Name[]
    this.#fields = Object.values(fields)
    if (state && state.fields.join() !== this.#names.join())
      throw new TypeError(
        `The saved index has the fields ${state.fields.join(', ')}, not ${this.#names.join(', ')}; rebuild it`,
      )
    this.#lexical = new FieldIndex(this.#fields, state?.lexical)
    this.#ids = [...(state?.ids ?? [])]
    this.#labels = state?.labels ?? new Uint32Array(0)
    this.#numbers = new Map()
    for (const [number, id] of this.#ids.entries())
      if (!this.#lexical.isRemoved(number)) this.#numbers.set(id, number)
  }

  get size(): number {
    return this.#numbers.size
  }

  has(id: string): boolean {
    return this.#numbers.has(id)
  }

  ids(): Iterable<string> {
    return this.#numbers.keys()
  }

  /**
   * Adds a document, or replaces the one of that name. The label is a number chosen by the owner,
   * which a filter gets at no cost: looking up each hit by its name takes longer than finding it.
   */
  set(id: string, document: TextDocument<Name>, label = 0): void {
    this.delete(id)
    const number = this.#lexical.add(this.#names.map((name) => document[name] ?? ''))
    this.#ids[number] = id
    this.#numbers.set(id, number)
    if (label !== 0 || this.#labels.length > 0) this.#label(number, label)
  }

  labelOf(id: string): number | undefined {
    const number = this.#numbers.get(id)
    return number === undefined ? undefined : (this.#labels[number] ?? 0)
  }

  delete(id: string): boolean {
    const number = this.#numbers.get(id)
    if (number === undefined) return false
    this.#lexical.remove(number)
    this.#numbers.delete(id)
    this.#reclaim()
    return true
  }

  clear(): void {
    this.#lexical = new FieldIndex(this.#fields)
    this.#ids = []
    this.#labels = new Uint32Array(0)
    this.#numbers.clear()
  }

  /** Best first; empty when no word of the query is known or nothing reaches `minScore`. */
  search(query: string, options: TextSearch = {}): TextHit[] {
    const { limit = 10, minScore = 0, accept, also } = options
    const extra = also ? this.queryTerms(also.words.join(' ')) : []
    const terms = extra.map(({ term }) => ({ term, weight: also?.weight ?? 1, extra: true }))
    return this.#lexical
      .search([...this.queryTerms(query), ...terms], {
        limit,
        minScore,
        accept:
          accept && ((document) => accept(this.#ids[document] ?? '', this.#labels[document] ?? 0)),
      })
      .filter(({ score }) => score >= minScore)
      .map(({ document, score }) => ({ id: this.#ids[document] ?? '', score }))
  }

  /** Returns how much a term says about a document: more, the fewer documents contain it. */
  information(term: string): number {
    return this.#lexical.idf(this.#lexical.documentFrequency(term))
  }

  /** Returns the terms of a query, each once: those of every analyser the fields use. */
  queryTerms(query: string): QueryTerm[] {
    const terms = new Set<string>()
    for (const analyser of new Set(this.#fields.map((field) => field.analyser)))
      for (const word of analyser.words(query))
        for (const term of analyser.terms(word)) terms.add(term)
    return [...terms].map((term) => ({ term, weight: 1 }))
  }

  /** Returns the state without copying it: valid until the next change. */
  state(): TextIndexState {
    return {
      ids: this.#ids,
      labels: this.#labels.subarray(0, this.#ids.length),
      fields: this.#names,
      lexical: this.#lexical.state(),
    }
  }

  #label(number: number, label: number): void {
    this.#labels = withRoom(this.#labels, number + 1)
    this.#labels[number] = label
  }

  #reclaim(): void {
    const { numbered, size } = this.#lexical
    if (numbered < SMALL || numbered - size < numbered * SPACE_TO_RECLAIM) return
    const { index, numbers } = this.#lexical.compact()
    const ids: string[] = []
    for (const [old, id] of this.#ids.entries()) {
      const number = numbers[old] ?? -1
      if (number < 0) continue
      ids[number] = id
      this.#numbers.set(id, number)
      // Numbers only decrease, so a label that is overwritten has already been moved.
      if (this.#labels.length > 0) this.#labels[number] = this.#labels[old] ?? 0
    }
    this.#lexical = index
    this.#ids = ids
  }
}
