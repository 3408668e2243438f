import { type Insertable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'

/** Counts what a service holds, for its owner. */
export async function totals(db: Db): Promise<Record<string, unknown>> {
  const { rows } = await sql<Record<string, unknown>>`select
    (select count(*) from ${sql.table('accounts')}) as users,
    (select count(*) from ${sql.table('traces')}) as traces,
    (select count(*) from ${sql.table('traces')} where status = 'validated') as validated_traces,
    (select count(*) from ${sql.table('votes')}) as votes,
    (select count(*) from ${sql.table('amendments')}) as amendments,
    (select coalesce(sum(value), 0) from ${sql.table('daily_counts')} where name = 'searches') as searches,
    (select count(*) from ${sql.table('search_misses')}) as search_misses`.execute(db)
  return rows[0] ?? {}
}

export type SearchMiss = Insertable<Database['search_misses']>

export async function insertSearchMisses(db: Db, misses: readonly SearchMiss[]): Promise<void> {
  if (misses.length > 0) await db.insertInto('search_misses').values(misses).execute()
}

export interface WantedTrace {
  readonly query: string | null
  readonly tags_json: string
  readonly asked: number
  readonly last_asked_at: number
}

/** Returns searches without results, most frequent first. */
export async function wantedTraces(db: Db, limit: number): Promise<WantedTrace[]> {
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
