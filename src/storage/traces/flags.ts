import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'

/** False when this account had flagged this trace before. */
export async function insertFlag(db: Db, flag: Insertable<Database['flags']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('flags')
    .values(flag)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** How many accounts whose flag counts have flagged a trace. */
export async function countFlags(db: Db, traceId: string): Promise<number> {
  const row = await db
    .selectFrom('flags')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('trace_id', '=', traceId)
    .where('counts', '=', 1)
    .executeTakeFirstOrThrow()
  return row.n
}

export async function clearFlags(db: Db, traceId: string): Promise<void> {
  await db.deleteFrom('flags').where('trace_id', '=', traceId).execute()
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** Everything that anybody has flagged, hidden or not: newest flag first. */
export async function flaggedTraces(db: Db, page: Page): Promise<TraceRow[]> {
  return db
    .selectFrom('traces')
    .selectAll()
    .where('flagged_at', 'is not', null)
    .orderBy('flagged_at', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}
