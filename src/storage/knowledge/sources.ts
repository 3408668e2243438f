import type { Insertable, Updateable } from 'kysely'
import type { Database } from '../database.ts'
import { currentRevision, nextRevision } from '../revisions.ts'
import type { Db } from '../storage.ts'
import type { SourceRow } from '../tables/knowledge-tables.ts'

const SERIES = 'knowledge'

export type NewSource = Omit<Insertable<Database['knowledge_sources']>, 'revision' | 'deleted'>

export interface SourceFilter {
  readonly collection?: string | undefined
  readonly sourceType?: SourceRow['source_type'] | undefined
  readonly status?: SourceRow['status'] | undefined
  readonly authorityTier?: SourceRow['authority_tier'] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export async function findSource(db: Db, id: string): Promise<SourceRow | undefined> {
  return db
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('id', '=', id)
    .where('deleted', '=', 0)
    .executeTakeFirst()
}

/** Finds deleted sources too, because a document that comes back reuses its old row. */
export async function findSourceAt(
  db: Db,
  collection: string,
  location: string,
): Promise<SourceRow | undefined> {
  return db
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('collection', '=', collection)
    .where('location', '=', location)
    .executeTakeFirst()
}

/** Finds the location in the collection that has the same document. */
export async function findSourceByContent(
  db: Db,
  collection: string,
  contentHash: string,
): Promise<SourceRow | undefined> {
  return db
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('collection', '=', collection)
    .where('content_hash', '=', contentHash)
    .where('status', '=', 'complete')
    .where('deleted', '=', 0)
    .executeTakeFirst()
}

export async function listSources(db: Db, filter: SourceFilter = {}): Promise<SourceRow[]> {
  let query = db.selectFrom('knowledge_sources').selectAll().where('deleted', '=', 0)
  if (filter.collection) query = query.where('collection', '=', filter.collection)
  if (filter.sourceType) query = query.where('source_type', '=', filter.sourceType)
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.authorityTier) query = query.where('authority_tier', '=', filter.authorityTier)
  return query
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(filter.limit ?? 1_000_000)
    .offset(filter.offset ?? 0)
    .execute()
}

export async function countSources(db: Db, filter: SourceFilter = {}): Promise<number> {
  let query = db
    .selectFrom('knowledge_sources')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted', '=', 0)
  if (filter.collection) query = query.where('collection', '=', filter.collection)
  if (filter.sourceType) query = query.where('source_type', '=', filter.sourceType)
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.authorityTier) query = query.where('authority_tier', '=', filter.authorityTier)
  return (await query.executeTakeFirstOrThrow()).count
}

/** Inserts the source or updates the row of its location, and tells the indexes. */
export async function saveSource(db: Db, source: NewSource): Promise<void> {
  await reviseSource(db, await writeSource(db, source))
}

/**
 * Inserts the source or updates the row of its location; returns the id of the row, which stays
 * locked until the transaction ends. `reviseSource` tells the indexes.
 */
export async function writeSource(db: Db, source: NewSource): Promise<string> {
  const { id: _id, created_at: _created, ...change } = { ...source, deleted: 0 }
  const row = await db
    .insertInto('knowledge_sources')
    .values({ ...source, deleted: 0, revision: 0 })
    .onConflict((conflict) => conflict.columns(['collection', 'location']).doUpdateSet(change))
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/**
 * Gives a source the next revision, which tells the indexes that it changed. Comes last in a
 * transaction, after the chunks: all other writers wait for its lock.
 */
export async function reviseSource(db: Db, id: string): Promise<void> {
  await touchSource(db, id, { revision: await nextRevision(db, SERIES) })
}

/** Updates fields that do not concern the indexes: a new ETag, a failed attempt. */
export async function touchSource(
  db: Db,
  id: string,
  change: Updateable<Database['knowledge_sources']>,
): Promise<void> {
  await db.updateTable('knowledge_sources').set(change).where('id', '=', id).execute()
}

/** Deletes a document with its chunks; false if it does not exist. */
export async function deleteSource(db: Db, id: string): Promise<boolean> {
  // The row first, as when a document is stored, so that the two cannot deadlock.
  const { numUpdatedRows } = await db
    .updateTable('knowledge_sources')
    .set({ deleted: 1, chunk_count: 0, content_hash: null, etag: null, last_modified: null })
    .where('id', '=', id)
    .where('deleted', '=', 0)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await db.deleteFrom('knowledge_chunks').where('source_id', '=', id).execute()
  await reviseSource(db, id)
  return true
}

export async function knowledgeRevision(db: Db): Promise<number> {
  return currentRevision(db, SERIES)
}

/** Returns sources changed or deleted after a revision, oldest change first. */
export async function sourcesAfter(db: Db, revision: number): Promise<SourceRow[]> {
  return db
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('revision', '>', revision)
    .orderBy('revision')
    .execute()
}
