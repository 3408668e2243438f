import { sql } from 'kysely'
import type { Db } from '../storage.ts'

export interface Passing {
  readonly winner_id: string
  readonly loser_id: string
  readonly account_id: string
  readonly day: number
}

/** Once a day for each reader and pair: looking again does not count again. Of what is still there only. */
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

/** What is opened after all was not passed over. */
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

/** Pairs in which one was passed over for the other in so many sessions, by more than one reader. */
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

/** Computed from the log each time: nothing grows by being counted again. */
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
