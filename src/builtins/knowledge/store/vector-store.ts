import {
  countVectors,
  saveChunkVectors,
  vectorsOfChunks,
} from '../../../storage/knowledge/vectors.ts'
import type { Db, Storage } from '../../../storage/storage.ts'
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
  /** The exact filter; external stores apply it to the results of their own filter. */
  readonly accept: (id: string) => boolean
  /** The sources that pass the filter, if it restricts sources; undefined means all. */
  readonly sourceIds: readonly string[] | undefined
}

export interface VectorHit {
  readonly id: string
  /** Cosine, 0..1. */
  readonly score: number
}

/** Stores the vectors of chunks. An outage is an error, never an empty list. */
export interface VectorStore {
  readonly backend: 'embedded' | 'pgvector' | 'qdrant'
  /** Called before the chunks are committed; an external store saves the vectors here. */
  prepare(points: readonly VectorPoint[]): Promise<void>
  /** Called in the transaction that stores the chunks. */
  commit(db: Db, points: readonly VectorPoint[]): Promise<void>
  /** Called after the transaction, with deleted chunks and with sources whose chunks changed. */
  settle(goneChunks: readonly string[], changedSources: readonly string[]): Promise<void>
  search(vector: Float32Array, query: VectorQuery): Promise<VectorHit[]>
  /** Returns the vectors of those of these chunks that have one. */
  vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>
  count(): Promise<number>
  ping(): Promise<void>
}

/** Stores the vectors of one model in the database, which commits them with their chunks. */
export function databaseVectors(
  storage: Storage,
  model: string,
): Omit<VectorStore, 'backend' | 'settle' | 'search'> {
  return {
    async prepare() {},
    async commit(db, points) {
      const vectors = points.map(({ id, vector }) => ({ chunkId: id, vector }))
      await saveChunkVectors(db, storage.engine, model, vectors)
    },
    vectorsOf: async (ids) => vectorsOfChunks(storage.db, model, ids),
    count: async () => countVectors(storage.db, model),
    ping: async () => storage.ping(),
  }
}
