import type { ChunkVectors } from '../../engine/index/chunk-vectors.ts'
import type { CodeDeps } from '../code-deps.ts'
import type { FoundIndex } from './find-index.ts'

/**
 * Returns the vectors of an index, up to date; undefined if its project has no embedder. Throws if
 * the embedder cannot be reached.
 */
export async function embedIndex(
  deps: CodeDeps,
  { live, config }: Pick<FoundIndex, 'live' | 'config'>,
  signal?: AbortSignal,
): Promise<ChunkVectors | undefined> {
  const embedder = await deps.embedders.for(config)
  if (!embedder) return undefined
  const vectors = await live.embed(embedder, signal)
  live.noteEmbedding(deps.embedders.modelFor(config))
  return vectors
}
