import type { CodeHit } from '../../../../search/code/code-file.ts'
import { fuse } from '../../../../search/fuse.ts'
import type { ChunkVectors, VectorChunkHit } from '../index/chunk-vectors.ts'
import type { ProjectIndex } from '../index/project-index.ts'

/** A hit with its score by words and by vectors. */
export interface HybridHit extends CodeHit {
  readonly keywordScore?: number
  readonly vectorScore?: number
}

export interface HybridSearch {
  readonly limit: number
  readonly accept?: ((path: string, chunk: number) => boolean) | undefined
  /** Whether to search by meaning only, without words. */
  readonly vectorsOnly?: boolean
}

const MAX_PREFETCHED = 100

/** Returns how many hits of each kind are fetched before they are fused. */
export function prefetchFor(limit: number): number {
  return Math.max(limit, Math.min(2 * limit, MAX_PREFETCHED))
}

/** Searches by words and vectors together; chunks that both find come first. */
export async function hybridHits(
  index: ProjectIndex,
  vectors: ChunkVectors,
  query: string,
  { limit, accept, vectorsOnly = false }: HybridSearch,
): Promise<HybridHit[]> {
  const prefetch = prefetchFor(limit)
  const vector = await vectors.embedQuery(query)
  const near = vector ? vectors.near(vector, prefetch, accept) : []
  const worded = vectorsOnly
    ? undefined
    : index.lexical.search(query, { limit: prefetch, ...(accept && { accept }) })
  return fuseHits(index, near, worded, limit)
}

/** Fuses both rankings; without `worded`, only the vectors count. */
export function fuseHits(
  index: ProjectIndex,
  near: readonly VectorChunkHit[],
  worded: readonly CodeHit[] | undefined,
  limit: number,
): HybridHit[] {
  const fused = fuse(
    [
      { name: 'vector', hits: near.map(toRanked) },
      ...(worded ? [{ name: 'keyword', weight: 2, hits: worded.map(toRanked) }] : []),
    ],
    limit,
  )
  return fused.flatMap(({ id, score, from }) => {
    const cut = id.lastIndexOf('#')
    const [path, chunk] = [id.slice(0, cut), Number(id.slice(cut + 1))]
    const [startLine, endLine] = index.files.get(path)?.ranges.slice(2 * chunk, 2 * chunk + 2) ?? []
    if (startLine === undefined || endLine === undefined) return []
    const { keyword, vector } = from
    return {
      path,
      chunk,
      startLine,
      endLine,
      score,
      ...(keyword !== undefined && { keywordScore: keyword }),
      ...(vector !== undefined && { vectorScore: vector }),
    }
  })
}

function toRanked({
  path,
  chunk,
  score,
}: {
  readonly path: string
  readonly chunk: number
  readonly score: number
}) {
  return { id: `${path}#${chunk}`, score }
}
