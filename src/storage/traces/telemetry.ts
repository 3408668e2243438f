import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'

/** Saves a session's report; it contains all its activity, so it replaces the previous one. */
export async function saveTriggerReport(
  db: Db,
  report: Insertable<Database['trigger_reports']>,
): Promise<void> {
  await db
    .insertInto('trigger_reports')
    .values(report)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(report))
    .execute()
}

/** Inserts savings without the identity of the account. */
export async function insertSavings(
  db: Db,
  savings: Insertable<Database['savings']>,
): Promise<void> {
  await db.insertInto('savings').values(savings).execute()
}

export interface Savings {
  readonly minutes: number
  readonly tokens: number
  readonly events: number
}

export async function totalSavings(db: Db): Promise<Savings> {
  const row = await db
    .selectFrom('savings')
    .select((eb) => [
      eb.fn.sum<number | null>('minutes').as('minutes'),
      eb.fn.sum<number | null>('tokens').as('tokens'),
      eb.fn.countAll<number>().as('events'),
    ])
    .executeTakeFirstOrThrow()
  return { minutes: row.minutes ?? 0, tokens: row.tokens ?? 0, events: row.events }
}

export type SearchMiss = Insertable<Database['search_misses']>

export async function insertSearchMisses(db: Db, misses: readonly SearchMiss[]): Promise<void> {
  if (misses.length > 0) await db.insertInto('search_misses').values(misses).execute()
}

export interface Wanted {
  readonly query: string | null
  readonly tags_json: string
  readonly asked: number
  readonly last_asked_at: number
}

/** Returns searches without results, most frequent first. */
export async function wantedTraces(db: Db, limit: number): Promise<Wanted[]> {
  return db
    .selectFrom('search_misses')
    .select((eb) => [
      'query',
      'tags_json',
      eb.fn.countAll<number>().as('asked'),
      eb.fn.max<number>('created_at').as('last_asked_at'),
    ])
    .groupBy(['query', 'tags_json'])
    .orderBy('asked', 'desc')
    .orderBy('last_asked_at', 'desc')
    .limit(limit)
    .execute()
}

/** Adds to a counter of the day, such as the number of searches. */
export async function addToDay(
  db: Db,
  count: { readonly name: string; readonly day: number; readonly value: number },
): Promise<void> {
  await db
    .insertInto('daily_counts')
    .values(count)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'name'])
        .doUpdateSet((eb) => ({ value: eb('daily_counts.value', '+', count.value) })),
    )
    .execute()
}
