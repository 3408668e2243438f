import type { Embedder } from '../../../search/embed/embedder.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { QdrantOptions } from './qdrant-vectors.ts'
import type { VectorStore } from './vector-store.ts'

export type VectorBackend =
  | { readonly kind: 'embedded' | 'pgvector' }
  | ({ readonly kind: 'qdrant' } & Pick<QdrantOptions, 'url' | 'apiKey' | 'collection'>)

/** Opens the vectors of one model in the chosen backend, whose code is loaded only then. */
export async function openVectors(
  storage: Storage,
  embedder: Embedder,
  backend: VectorBackend = { kind: storage.engine === 'postgres' ? 'pgvector' : 'embedded' },
): Promise<VectorStore> {
  const dimension = await embedder.dimension()
  const model = embedder.identity
  if (backend.kind === 'qdrant') {
    const { createQdrantVectors } = await import('./qdrant-vectors.ts')
    return createQdrantVectors({ ...backend, model, dimension })
  }
  if (backend.kind === 'pgvector') {
    const { createPgvectorVectors } = await import('./pgvector-vectors.ts')
    return createPgvectorVectors(storage, model, dimension)
  }
  const { createEmbeddedVectors } = await import('./embedded-vectors.ts')
  return createEmbeddedVectors(storage, model, dimension)
}
