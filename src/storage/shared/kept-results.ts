import { type Selectable, sql } from 'kysely'
import type { SharedTables } from '../tables/shared-tables.ts'
import type { Db } from '../storage.ts'

export type KeptRow = Selectable<SharedTables['kept_results']>

/** Ignores a result that is already stored, so that an unconfirmed write can be repeated. */
export async function insertKept(db: Db, row: KeptRow): Promise<void> {
  await db
    .insertInto('kept_results')
    .values(row)
    .onConflict((conflict) => conflict.column('handle').doNothing())
    .execute()
}

export async function findKept(db: Db, handle: string, now: number): Promise<KeptRow | undefined> {
  return db
    .selectFrom('kept_results')
    .selectAll()
    .where('handle', '=', handle)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes expired results, then the oldest until the rest fits into `maxBytes`. */
export async function trimKept(db: Db, now: number, maxBytes: number): Promise<void> {
  await db.deleteFrom('kept_results').where('expires_at', '<=', now).execute()
  await sql`delete from ${sql.table('kept_results')} where handle in (
    select handle from (
      select handle, sum(bytes) over (order by expires_at desc, handle) as newer from ${sql.table('kept_results')}
    ) as running where newer > ${maxBytes})`.execute(db)
}
