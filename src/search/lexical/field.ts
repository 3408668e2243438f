import type { Analyser } from '../analyse/analyser.ts'

/** One field of the documents of an index: how it is read and how much it counts (BM25F). */
export interface Field {
  readonly analyser: Analyser
  /** How much a word here counts relative to a word elsewhere; 1 by default. */
  readonly weight?: number
  /** How much a long field discounts its words, 0..1; 0.75 by default. */
  readonly lengthPenalty?: number
}

/** Frequencies of a posting are packed into 32 bits, a byte per field. */
export const MAX_FIELDS = 4

/** A term of a query and how much it counts. */
export interface QueryTerm {
  readonly term: string
  readonly weight: number
  /** Raises a score if present but does not lower it if absent: a synonym, a spelling. */
  readonly extra?: boolean
}
