import { sql } from 'kysely'
import type { Db } from '../storage.ts'

export interface PassedOver {
  readonly winner_id: string
  readonly loser_id: string
  readonly account_id: string
  readonly day: number
}

/** Records existing traces that were passed over, once a day per reader and pair. */
export async function insertPassedOver(
  db: Db,
  { winner_id, account_id, day }: Omit<PassedOver, 'loser_id'>,
  losers: readonly string[],
): Promise<void> {
  if (losers.length === 0) return
  const present = await db.selectFrom('traces').select('id').where('id', 'in', losers).execute()
  if (present.length === 0) return
  await db
    .insertInto('passed_over')
    .values(present.map(({ id }) => ({ winner_id, loser_id: id, account_id, day })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the records of a trace that the reader opened later. */
export async function forgetPassedOver(
  db: Db,
  { loser_id, account_id, day }: Omit<PassedOver, 'winner_id'>,
): Promise<void> {
  await db
    .deleteFrom('passed_over')
    .where('loser_id', '=', loser_id)
    .where('account_id', '=', account_id)
    .where('day', '=', day)
    .execute()
}

export interface Preference {
  readonly winner_id: string
  readonly loser_id: string
  readonly sessions: number
}

/** Returns pairs of which one was passed over for the other often enough and by enough readers. */
export async function countPassedOver(
  db: Db,
  options: { readonly sinceDay: number; readonly sessions: number; readonly readers: number },
): Promise<Preference[]> {
  const { rows } = await sql<Preference>`
    select winner_id, loser_id, count(*) as sessions from ${sql.table('passed_over')}
    where day >= ${options.sinceDay} group by winner_id, loser_id
    having count(*) >= ${options.sessions}
      and count(distinct account_id) >= ${options.readers}`.execute(db)
  return rows
}

/** Replaces all preferences and prunes old records. */
export async function replacePreferences(
  db: Db,
  preferences: readonly Preference[],
  prunedBeforeDay: number,
): Promise<void> {
  await db.deleteFrom('passed_over').where('day', '<', prunedBeforeDay).execute()
  await db.deleteFrom('rif_shadows').execute()
  for (let start = 0; start < preferences.length; start += 500)
    await db
      .insertInto('rif_shadows')
      .values(preferences.slice(start, start + 500))
      .execute()
}
