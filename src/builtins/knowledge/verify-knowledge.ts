import { chunkTotals, chunksOfSource } from '../../storage/knowledge/chunks.ts'
import { listSources } from '../../storage/knowledge/sources.ts'
import { contentHash } from './chunks/chunk-document.ts'
import type { KnowledgeBase } from './knowledge-base.ts'

export interface Verification {
  readonly documents: number
  readonly chunks: number
  readonly problems: readonly string[]
}

/** Verifies counts, hashes and the index, and on request the number of vectors. */
export async function verifyKnowledge(
  base: KnowledgeBase,
  {
    collection,
    embeddings,
  }: { readonly collection?: string | undefined; readonly embeddings?: boolean },
): Promise<Verification> {
  const { db } = base.store.storage
  const sources = await listSources(db, { collection })
  const problems: string[] = []
  let chunks = 0
  for (const source of sources) {
    const rows = await chunksOfSource(db, source.id)
    chunks += rows.length
    if (rows.length !== source.chunk_count) {
      problems.push(
        `${source.location}: ${rows.length} of ${source.chunk_count} passages are there`,
      )
    }
    const damaged = rows.filter((row) => contentHash(row.content) !== row.content_hash)
    if (damaged.length > 0)
      problems.push(`${source.location}: ${damaged.length} passages are damaged`)
    if (source.status === 'failed')
      problems.push(`${source.location}: failed: ${source.error_json}`)
    if (source.status === 'ingesting') problems.push(`${source.location}: was never finished`)
  }
  const { chunks: stored } = await chunkTotals(db)
  const index = await base.store.index()
  if (index.size !== stored) problems.push(`The index holds ${index.size} of ${stored} passages`)
  if (embeddings) problems.push(...(await missingVectors(base, stored)))
  return { documents: sources.length, chunks, problems }
}

async function missingVectors(base: KnowledgeBase, stored: number): Promise<string[]> {
  const vectors = await base.store.vectors()
  if (!vectors) return ['There are no vectors: no embedding model is set']
  const held = await vectors.count()
  return held === stored ? [] : [`${held} vectors for ${stored} passages`]
}
