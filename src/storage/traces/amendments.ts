import type { Insertable, Updateable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { Amendment } from '../tables/trace-tables.ts'

export async function insertAmendment(
  db: Db,
  amendment: Insertable<Database['amendments']>,
): Promise<void> {
  await db.insertInto('amendments').values(amendment).execute()
}

export async function findAmendment(db: Db, id: string): Promise<Amendment | undefined> {
  return db.selectFrom('amendments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the amendments of a trace: applied ones first, then by trust. */
export async function amendmentsOf(db: Db, traceId: string): Promise<Amendment[]> {
  return db
    .selectFrom('amendments')
    .selectAll()
    .where('original_trace_id', '=', traceId)
    .orderBy('status')
    .orderBy('trust_score', 'desc')
    .orderBy('created_at')
    .execute()
}

export async function updateAmendment(
  db: Db,
  id: string,
  change: Updateable<Database['amendments']>,
): Promise<void> {
  await db.updateTable('amendments').set(change).where('id', '=', id).execute()
}

/** Fails as a duplicate when this account has voted on this amendment before. */
export async function insertAmendmentVote(
  db: Db,
  vote: Insertable<Database['amendment_votes']>,
): Promise<void> {
  await db.insertInto('amendment_votes').values(vote).execute()
}
