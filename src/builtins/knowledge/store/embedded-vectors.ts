import { vectorsOfSources } from '../../../storage/knowledge/vectors.ts'
import type { Storage } from '../../../storage/storage.ts'
import { VectorIndex } from '../../../search/vector/vector-index.ts'
import { type VectorStore, databaseVectors } from './vector-store.ts'

const SOURCES_AT_ONCE = 50

/** Stores vectors in the database and searches them in the memory of this process. */
export function createEmbeddedVectors(
  storage: Storage,
  model: string,
  dimension: number,
): VectorStore {
  const index = new VectorIndex({ dimension })

  return {
    ...databaseVectors(storage, model),
    backend: 'embedded',
    async settle(goneChunks, changedSources) {
      for (const id of goneChunks) index.delete(id)
      for (let at = 0; at < changedSources.length; at += SOURCES_AT_ONCE) {
        const some = changedSources.slice(at, at + SOURCES_AT_ONCE)
        for (const { chunkId, vector } of await vectorsOfSources(storage.db, model, some)) {
          if (vector.length === dimension) index.set(chunkId, vector)
        }
      }
    },
    search: async (vector, { limit, accept }) => index.search(vector, { limit, accept }),
  }
}
