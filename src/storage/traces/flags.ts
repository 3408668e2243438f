import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'

/** Inserts a flag; false if this account has already flagged this trace. */
export async function insertFlag(db: Db, flag: Insertable<Database['flags']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('flags')
    .values(flag)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Counts the flags of a trace from accounts whose flags count. */
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

/** Returns flagged traces, hidden or not, newest flag first. */
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
