import { sql } from 'kysely'
import type { Db } from '../storage.ts'

export interface Passing {
  readonly winner_id: string
  readonly loser_id: string
  readonly account_id: string
  readonly day: number
}

/** Records existing traces that were passed over, once a day per reader and pair. */
export async function insertPassings(
  db: Db,
  { winner_id, account_id, day }: Omit<Passing, 'loser_id'>,
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
export async function forgetPassings(
  db: Db,
  { loser_id, account_id, day }: Omit<Passing, 'winner_id'>,
): Promise<void> {
  await db
    .deleteFrom('passed_over')
    .where('loser_id', '=', loser_id)
    .where('account_id', '=', account_id)
    .where('day', '=', day)
    .execute()
}

export interface Shadow {
  readonly winner_id: string
  readonly loser_id: string
  readonly sessions: number
}

/** Returns pairs of which one was passed over for the other often enough and by enough readers. */
export async function countPassings(
  db: Db,
  options: { readonly sinceDay: number; readonly sessions: number; readonly readers: number },
): Promise<Shadow[]> {
  const { rows } = await sql<Shadow>`
    select winner_id, loser_id, count(*) as sessions from ${sql.table('passed_over')}
    where day >= ${options.sinceDay} group by winner_id, loser_id
    having count(*) >= ${options.sessions}
      and count(distinct account_id) >= ${options.readers}`.execute(db)
  return rows
}

/** Replaces all shadows and prunes old records. */
export async function replaceShadows(
  db: Db,
  shadows: readonly Shadow[],
  prunedBeforeDay: number,
): Promise<void> {
  await db.deleteFrom('passed_over').where('day', '<', prunedBeforeDay).execute()
  await db.deleteFrom('rif_shadows').execute()
  for (let start = 0; start < shadows.length; start += 500)
    await db
      .insertInto('rif_shadows')
      .values(shadows.slice(start, start + 500))
      .execute()
}
