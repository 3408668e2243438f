import type { Db } from '../storage.ts'

export async function findNames(db: Db, source: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('given_names')
    .select('body')
    .where('source', '=', source)
    .executeTakeFirst()
  return row?.body
}

/** Compares and sets: false if the stored text is not `before`; '' means that none is stored. */
export async function replaceNames(
  db: Db,
  source: string,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<boolean> {
  const row = { source, body: after, updated_at: Date.now() }
  if (before === '') {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('given_names')
      .values(row)
      .onConflict((conflict) => conflict.column('source').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }
  const { numUpdatedRows } = await db
    .updateTable('given_names')
    .set(row)
    .where('source', '=', source)
    .where('body', '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the names of configurations that no replica has used since then. */
export async function dropNamesBefore(db: Db, moment: number): Promise<void> {
  await db.deleteFrom('given_names').where('updated_at', '<', moment).execute()
}
