import type { Db } from './storage.ts'

/**
 * Returns the next number of a series, in commit order: the counter's row stays locked until the
 * transaction ends, so a reader of "everything after n" never misses a late commit with a lower
 * number. Call it as late as possible in a transaction, to keep that lock short.
 */
export async function nextRevision(db: Db, series: string): Promise<number> {
  const row = await db
    .insertInto('counters')
    .values({ name: series, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return row.value
}

export async function currentRevision(db: Db, series: string): Promise<number> {
  const row = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', series)
    .executeTakeFirst()
  return row?.value ?? 0
}
