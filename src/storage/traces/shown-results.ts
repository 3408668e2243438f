import type { Db } from '../storage.ts'

/** The result of one search: the ids of the traces shown, best first. */
export interface ShownResults {
  readonly id: string
  readonly account_id: string
  readonly trace_ids_json: string
  readonly at: number
}

export async function insertShownResults(db: Db, shown: readonly ShownResults[]): Promise<void> {
  if (shown.length > 0) await db.insertInto('shown_results').values(shown).execute()
}

/** Returns the results that an account was shown, newest first. */
export async function shownTo(
  db: Db,
  accountId: string,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<ShownResults[]> {
  return db
    .selectFrom('shown_results')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
}

export async function pruneShownResults(db: Db, before: number): Promise<void> {
  await db.deleteFrom('shown_results').where('at', '<', before).execute()
}
