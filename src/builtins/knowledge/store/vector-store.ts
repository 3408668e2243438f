import type { Db } from '../../../storage/storage.ts'
import type { ChunkFilter } from './chunk-filter.ts'

export interface VectorPoint {
  readonly id: string
  readonly vector: Float32Array
  readonly sourceId: string
  readonly collection: string
  readonly chunkType: string
  readonly normative: boolean | null
}

export interface VectorQuery {
  readonly limit: number
  readonly filter: ChunkFilter
  /** The exact filter, for stores that hold everything in this process. */
  readonly accept: (id: string) => boolean
  /** The sources that the filter leaves, where it names any property of sources; undefined means all. */
  readonly sourceIds: readonly string[] | undefined
}

export interface VectorHit {
  readonly id: string
  /** Cosine, 0..1. */
  readonly score: number
}

/** Where the vectors of chunks live. An outage is an error, never an empty list. */
export interface VectorStore {
  readonly backend: 'embedded' | 'pgvector' | 'qdrant'
  /** Before the chunks are committed: a store elsewhere must have them first. */
  prepare(points: readonly VectorPoint[]): Promise<void>
  /** In the transaction that stores the chunks. */
  commit(db: Db, points: readonly VectorPoint[]): Promise<void>
  /** After it: chunks that are no more, and sources whose chunks changed. */
  settle(goneChunks: readonly string[], changedSources: readonly string[]): Promise<void>
  search(vector: Float32Array, query: VectorQuery): Promise<VectorHit[]>
  /** The vectors of these chunks, of those that have one. */
  vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>
  count(): Promise<number>
  ping(): Promise<void>
}
