import type { NormativeState, Obligation } from '../documents/normative.ts'

export const CHUNK_TYPES = [
  'content',
  'definition',
  'requirement',
  'recommendation',
  'guidance',
  'example',
  'figure',
  'table',
  'overview',
  'reference',
  'annex',
] as const
export type ChunkType = (typeof CHUNK_TYPES)[number]

/** A piece of a document that is stored, found and cited as one. */
export interface Chunk {
  /** Its place in the document, from 0. */
  readonly ordinal: number
  readonly content: string
  /** How many leading characters repeat earlier text: overlap, or the header of a split table. */
  readonly leadLength: number
  readonly tokenCount: number
  readonly contentHash: string
  readonly sectionPath: readonly string[]
  readonly sectionTitle: string
  readonly clauseNumber: string | null
  /** The sections in the chunk, with their offsets: small neighbouring sections share a chunk. */
  readonly parts: readonly ChunkPart[]
  readonly chunkType: ChunkType
  readonly normative: boolean | null
  readonly obligation: Obligation | null
  readonly pages: readonly number[]
  readonly references: readonly string[]
  /** The ordinal of the chunk that opens the section above this one. */
  readonly parent: number | null
}

export interface ChunkPart extends NormativeState {
  readonly offset: number
  /** Headings from the top of the document down to its own. */
  readonly path: readonly string[]
  readonly title: string
  readonly clause: string | null
  readonly page: number | null
}

export interface ChunkOptions {
  readonly targetTokens: number
  readonly maxTokens: number
  readonly overlapTokens: number
  readonly minTokens: number
}

export const CHUNK_OPTIONS: ChunkOptions = {
  targetTokens: 500,
  maxTokens: 1000,
  overlapTokens: 100,
  minTokens: 100,
}

/** Counts the tokens of a text exactly. Injected, as counting belongs to the shaping of results. */
export type CountTokens = (text: string) => number

export const OVERLAP_MARK = '\n\n---\n\n'
