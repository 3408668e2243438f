import type { Insertable, Updateable } from 'kysely'
import type { Database } from '../database.ts'
import { currentRevision, nextRevision } from '../revisions.ts'
import type { Db, Engine } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'

/** The series of revisions that search indexes follow. */
export const SERIES = 'traces'

export type NewTrace = Omit<Insertable<Database['traces']>, 'revision'>

export interface NewTraceParts {
  readonly trace: NewTrace
  readonly tags: readonly string[]
  /** Bands that near-identical texts share; see `bandsOf`. */
  readonly bands: readonly string[]
}

/** The words of a trace, for the search index. */
export interface TraceText {
  readonly id: string
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
  readonly revision: number
}

/** Stores traces with their tags and bands, all with the same revision. */
export async function insertTraces(db: Db, traces: readonly NewTraceParts[]): Promise<void> {
  // Sorted, so that two writers take their locks in the same order.
  const names = [...new Set(traces.flatMap(({ tags }) => tags))].toSorted()
  const created_at = Date.now()
  if (names.length > 0)
    await db
      .insertInto('tags')
      .values(names.map((name) => ({ name, created_at })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const revision = await nextRevision(db, SERIES)
  await db
    .insertInto('traces')
    .values(traces.map(({ trace }) => ({ ...trace, revision })))
    .execute()
  const links = traces.flatMap(({ trace, tags }) =>
    tags.map((tag) => ({ trace_id: trace.id, tag })),
  )
  if (links.length > 0) await db.insertInto('trace_tags').values(links).execute()
  await insertBands(db, traces)
}

/** Returns traces that share a band with a text, and so may be near duplicates. */
export async function findByBands(db: Db, bands: readonly string[]): Promise<TraceRow[]> {
  if (bands.length === 0) return []
  return db
    .selectFrom('traces')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('trace_bands').select('trace_id').where('band', 'in', bands),
    )
    .limit(20)
    .execute()
}

async function insertBands(
  db: Db,
  traces: readonly { readonly trace: { readonly id: string }; readonly bands: readonly string[] }[],
): Promise<void> {
  const rows = traces.flatMap(({ trace, bands }) =>
    bands.map((band) => ({ trace_id: trace.id, band })),
  )
  if (rows.length > 0) await db.insertInto('trace_bands').values(rows).execute()
}

export async function findTrace(db: Db, id: string): Promise<TraceRow | undefined> {
  return db.selectFrom('traces').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks rows on PostgreSQL so that two votes cannot read the same score; SQLite has one writer. */
export async function lockTraces(
  db: Db,
  engine: Engine,
  ids: readonly string[],
): Promise<TraceRow[]> {
  // Always in the same order, so that two transactions do not deadlock.
  const query = db.selectFrom('traces').selectAll().where('id', 'in', ids).orderBy('id')
  return (engine === 'postgres' ? query.forUpdate() : query).execute()
}

export async function lockTrace(db: Db, engine: Engine, id: string): Promise<TraceRow | undefined> {
  return (await lockTraces(db, engine, [id]))[0]
}

export async function findTraces(db: Db, ids: readonly string[]): Promise<TraceRow[]> {
  if (ids.length === 0) return []
  return db.selectFrom('traces').selectAll().where('id', 'in', ids).execute()
}

/** Returns a page of traces in the order of their ids. */
export async function tracesAfter(db: Db, id: string, limit: number): Promise<TraceRow[]> {
  return db
    .selectFrom('traces')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function findTraceByContent(db: Db, hash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('traces')
    .select('id')
    .where('content_hash', '=', hash)
    .executeTakeFirst()
  return row?.id
}

export async function updateTrace(
  db: Db,
  id: string,
  change: Updateable<Database['traces']>,
): Promise<void> {
  await db.updateTable('traces').set(change).where('id', '=', id).execute()
}

/** Increments in the database, so that two concurrent readers count as two. */
export async function countRetrieval(db: Db, id: string, at: number): Promise<void> {
  await db
    .updateTable('traces')
    .set((eb) => ({ retrieval_count: eb('retrieval_count', '+', 1), last_retrieved_at: at }))
    .where('id', '=', id)
    .execute()
}

/** Replaces the text of a trace and notifies the search indexes of every process. */
export async function rewriteTrace(
  db: Db,
  id: string,
  change: Updateable<Database['traces']>,
  bands: readonly string[],
): Promise<void> {
  await db.deleteFrom('trace_bands').where('trace_id', '=', id).execute()
  await insertBands(db, [{ trace: { id }, bands }])
  await updateTrace(db, id, { ...change, revision: await nextRevision(db, SERIES) })
}

/** Deletes a trace with its votes, amendments, tags, flags, links and vectors. */
export async function deleteTrace(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('traces').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countTraces(db: Db): Promise<number> {
  const row = await db
    .selectFrom('traces')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return row.n
}

export async function traceRevision(db: Db): Promise<number> {
  return currentRevision(db, SERIES)
}

/** Returns traces changed after a position, oldest first, paged by revision and id. */
export async function changedTraces(
  db: Db,
  after: { readonly revision: number; readonly id: string },
  limit: number,
): Promise<TraceText[]> {
  return (
    db
      .selectFrom('traces')
      .select(['id', 'title', 'context_text', 'solution_text', 'revision'])
      // An index can only use this first condition.
      .where('revision', '>=', after.revision)
      .where((eb) => eb.or([eb('revision', '>', after.revision), eb('id', '>', after.id)]))
      .orderBy('revision')
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}
