import { indexVectors, nearestChunks } from '../../../storage/knowledge/vectors.ts'
import type { Storage } from '../../../storage/storage.ts'
import { useVectors } from '../../../storage/vectors.ts'
import { type VectorStore, databaseVectors } from './vector-store.ts'

/** Stores and searches vectors in PostgreSQL, so that any number of processes share one index. */
export async function createPgvectorVectors(
  storage: Storage,
  model: string,
  dimension: number,
): Promise<VectorStore> {
  await useVectors(storage)
  await indexVectors(storage.db, dimension)
  return {
    ...databaseVectors(storage, model),
    backend: 'pgvector',
    async settle() {},
    async search(vector, { limit, filter, accept, sourceIds }) {
      // Clauses are filtered here, because they are stored as JSON and the query cannot test them.
      const wanted = filter.clausePrefix ? limit * 10 : limit
      const hits = await nearestChunks(storage.db, model, vector, {
        limit: wanted,
        filter: {
          ...(filter.collection !== undefined && { collections: [filter.collection] }),
          sourceIds,
          chunkTypes: filter.chunkTypes,
          normative: filter.normative,
        },
      })
      return hits
        .filter(({ id }) => accept(id))
        .slice(0, limit)
        .map(({ id, score }) => ({ id, score: Math.min(1, Math.max(0, score)) }))
    },
  }
}
