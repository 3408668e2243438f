import type { Selectable } from 'kysely'
import type { SharedTables } from '../tables/shared-tables.ts'
import type { Db } from '../storage.ts'

export type KeyRow = Selectable<SharedTables['api_keys']>

export async function findKey(db: Db, id: string): Promise<KeyRow | undefined> {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function listKeys(db: Db): Promise<KeyRow[]> {
  return db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertKey(db: Db, row: KeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute()
}

/** Revokes a key, keeping the time of the first revocation; undefined if it does not exist. */
export async function revokeKey(db: Db, id: string, at: number): Promise<KeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}
