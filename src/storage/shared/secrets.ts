import type { Db } from '../storage.ts'

export async function readSecret(db: Db, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

export async function writeSecret(db: Db, name: string, value: string): Promise<void> {
  const updated_at = Date.now()
  await db
    .insertInto('secrets')
    .values({ name, value, updated_at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, updated_at }))
    .execute()
}

/** Replaces a value unless it has changed or gone meanwhile. */
export async function replaceSecret(db: Db, name: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('secrets')
    .set({ value: to, updated_at: Date.now() })
    .where('name', '=', name)
    .where('value', '=', from)
    .execute()
}

/** Returns the secret, or creates it; replicas that start together all get the first one's. */
export async function ensureSecret(db: Db, name: string, fresh: () => string): Promise<string> {
  const found = await readSecret(db, name)
  if (found !== undefined) return found
  await db
    .insertInto('secrets')
    .values({ name, value: fresh(), updated_at: Date.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const kept = await readSecret(db, name)
  if (kept === undefined) throw new Error(`The secret ${name} was removed while it was made`)
  return kept
}

export async function removeSecret(db: Db, name: string): Promise<void> {
  await db.deleteFrom('secrets').where('name', '=', name).execute()
}

/** Returns the names with this prefix, which must not contain `%` or `_`. */
export async function secretNames(db: Db, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('secrets')
    .select('name')
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}
