import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { ChunkRow } from '../tables/knowledge-tables.ts'

const BATCH = 500

export type NewChunk = Insertable<Database['knowledge_chunks']>

/** The facts about a chunk that an index needs besides its words. */
export type ChunkFacts = Pick<
  ChunkRow,
  'id' | 'source_id' | 'ordinal' | 'parts_json' | 'chunk_type' | 'normative' | 'clause_number'
>

/** Replaces all chunks of a document; the vectors of the old chunks are deleted with them. */
export async function replaceChunks(
  db: Db,
  sourceId: string,
  chunks: readonly NewChunk[],
): Promise<void> {
  await db.deleteFrom('knowledge_chunks').where('source_id', '=', sourceId).execute()
  for (let at = 0; at < chunks.length; at += BATCH) {
    await db
      .insertInto('knowledge_chunks')
      .values(chunks.slice(at, at + BATCH))
      .execute()
  }
}

export async function findChunks(db: Db, ids: readonly string[]): Promise<ChunkRow[]> {
  if (ids.length === 0) return []
  return db.selectFrom('knowledge_chunks').selectAll().where('id', 'in', ids).execute()
}

export async function chunksOfSource(
  db: Db,
  sourceId: string,
  range?: { readonly from: number; readonly to: number },
): Promise<ChunkRow[]> {
  let query = db.selectFrom('knowledge_chunks').selectAll().where('source_id', '=', sourceId)
  if (range) query = query.where('ordinal', '>=', range.from).where('ordinal', '<=', range.to)
  return query.orderBy('ordinal').execute()
}

export async function chunkIdsOf(db: Db, sourceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('knowledge_chunks')
    .select('id')
    .where('source_id', '=', sourceId)
    .execute()
  return rows.map(({ id }) => id)
}

export async function chunkFacts(db: Db, sourceIds: readonly string[]): Promise<ChunkFacts[]> {
  const rows: ChunkFacts[] = []
  for (let at = 0; at < sourceIds.length; at += BATCH) {
    const found = await db
      .selectFrom('knowledge_chunks')
      .select([
        'id',
        'source_id',
        'ordinal',
        'parts_json',
        'chunk_type',
        'normative',
        'clause_number',
      ])
      .where('source_id', 'in', sourceIds.slice(at, at + BATCH))
      .execute()
    rows.push(...found)
  }
  return rows
}

export interface ChunkTotals {
  readonly chunks: number
  readonly tokens: number
}

export async function chunkTotals(db: Db, collection?: string): Promise<ChunkTotals> {
  let query = db
    .selectFrom('knowledge_chunks')
    .innerJoin('knowledge_sources', 'knowledge_sources.id', 'knowledge_chunks.source_id')
    .select((eb) => [
      eb.fn.countAll<number>().as('chunks'),
      eb.fn.coalesce(eb.fn.sum<number>('token_count'), eb.lit(0)).as('tokens'),
    ])
  if (collection) query = query.where('collection', '=', collection)
  return query.executeTakeFirstOrThrow()
}
