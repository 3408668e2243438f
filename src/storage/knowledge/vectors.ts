import { sql } from 'kysely'
import type { Db, Engine } from '../storage.ts'
import { fromVectorColumn, toVectorColumn } from '../vectors.ts'

const BATCH = 200

export interface ChunkVector {
  readonly chunkId: string
  readonly vector: Float32Array
}

export interface NearestFilter {
  readonly collections?: readonly string[] | undefined
  readonly sourceIds?: readonly string[] | undefined
  readonly chunkTypes?: readonly string[] | undefined
  readonly normative?: boolean | undefined
}

export async function saveChunkVectors(
  db: Db,
  engine: Engine,
  model: string,
  vectors: readonly ChunkVector[],
): Promise<void> {
  for (let at = 0; at < vectors.length; at += BATCH) {
    await db
      .insertInto('knowledge_vectors')
      .values(
        vectors.slice(at, at + BATCH).map(({ chunkId, vector }) => ({
          chunk_id: chunkId,
          model,
          dimensions: vector.length,
          embedding: toVectorColumn(vector, engine),
        })),
      )
      .execute()
  }
}

/** Returns stored vectors of the same content, which need not be computed again. */
export async function vectorsByContent(
  db: Db,
  model: string,
  hashes: readonly string[],
): Promise<Map<string, Float32Array>> {
  const known = new Map<string, Float32Array>()
  for (let at = 0; at < hashes.length; at += BATCH) {
    const rows = await db
      .selectFrom('knowledge_vectors')
      .innerJoin('knowledge_chunks', 'knowledge_chunks.id', 'knowledge_vectors.chunk_id')
      .select(['content_hash', 'embedding'])
      .where('model', '=', model)
      .where('content_hash', 'in', hashes.slice(at, at + BATCH))
      .execute()
    for (const row of rows) known.set(row.content_hash, fromVectorColumn(row.embedding))
  }
  return known
}

export async function vectorsOfSources(
  db: Db,
  model: string,
  sourceIds: readonly string[],
): Promise<ChunkVector[]> {
  if (sourceIds.length === 0) return []
  const rows = await db
    .selectFrom('knowledge_vectors')
    .innerJoin('knowledge_chunks', 'knowledge_chunks.id', 'knowledge_vectors.chunk_id')
    .select(['chunk_id', 'embedding'])
    .where('model', '=', model)
    .where('source_id', 'in', sourceIds)
    .execute()
  return rows.map((row) => ({ chunkId: row.chunk_id, vector: fromVectorColumn(row.embedding) }))
}

export async function vectorsOfChunks(
  db: Db,
  model: string,
  ids: readonly string[],
): Promise<Map<string, Float32Array>> {
  const found = new Map<string, Float32Array>()
  for (let at = 0; at < ids.length; at += BATCH) {
    const rows = await db
      .selectFrom('knowledge_vectors')
      .select(['chunk_id', 'embedding'])
      .where('model', '=', model)
      .where('chunk_id', 'in', ids.slice(at, at + BATCH))
      .execute()
    for (const row of rows) found.set(row.chunk_id, fromVectorColumn(row.embedding))
  }
  return found
}

export async function countVectors(db: Db, model: string): Promise<number> {
  const row = await db
    .selectFrom('knowledge_vectors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('model', '=', model)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Returns the nearest chunks by cosine, found by pgvector. */
export async function nearestChunks(
  db: Db,
  model: string,
  vector: Float32Array,
  { limit, filter = {} }: { readonly limit: number; readonly filter?: NearestFilter },
): Promise<{ readonly id: string; readonly score: number }[]> {
  const asked = `[${vector.join(',')}]`
  const dimensions = vector.length
  let query = db
    .selectFrom('knowledge_vectors')
    .innerJoin('knowledge_chunks', 'knowledge_chunks.id', 'knowledge_vectors.chunk_id')
    .innerJoin('knowledge_sources', 'knowledge_sources.id', 'knowledge_chunks.source_id')
    .select([
      'chunk_id as id',
      // The cast to a fixed size is needed to use the index of that size.
      sql<number>`1 - (embedding::vector(${sql.lit(dimensions)}) <=> ${asked}::vector)`.as('score'),
    ])
    .where('model', '=', model)
    .where('dimensions', '=', dimensions)
  if (filter.collections) query = query.where('collection', 'in', filter.collections)
  if (filter.sourceIds) query = query.where('source_id', 'in', filter.sourceIds)
  if (filter.chunkTypes) query = query.where('chunk_type', 'in', filter.chunkTypes)
  if (filter.normative !== undefined)
    query = query.where('normative', '=', filter.normative ? 1 : 0)
  return query
    .orderBy(sql`embedding::vector(${sql.lit(dimensions)}) <=> ${asked}::vector`)
    .limit(limit)
    .execute()
}

/** Creates an HNSW index for vectors of one size, if it does not exist. */
export async function indexVectors(db: Db, dimensions: number): Promise<void> {
  await sql`create index if not exists ${sql.raw(`knowledge_vectors_${dimensions}`)}
    on ${sql.table('knowledge_vectors')} using hnsw ((embedding::vector(${sql.lit(dimensions)})) vector_cosine_ops)
    where dimensions = ${sql.lit(dimensions)}`.execute(db)
}
