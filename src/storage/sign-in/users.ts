import type { Selectable } from 'kysely'
import type { SignInTables } from '../tables/sign-in-tables.ts'
import type { Db } from '../storage.ts'

export type UserRow = Selectable<SignInTables['users']>

export async function findUser(db: Db, name: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function listUsers(db: Db): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('name').execute()
}

/** Inserts a user or replaces the one of the same name, except its id and creation time. */
export async function putUser(db: Db, row: UserRow): Promise<void> {
  const { account_id, password_hash, groups_json, role } = row
  await db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ account_id, password_hash, groups_json, role }),
    )
    .execute()
}

/**
 * Changes columns of a user; with `passwordHash`, only if the stored one still is that. Returns
 * whether there was such a user.
 */
export async function updateUser(
  db: Db,
  { name, passwordHash }: { readonly name: string; readonly passwordHash?: string },
  columns: Partial<Omit<UserRow, 'name' | 'id' | 'created_at'>>,
): Promise<boolean> {
  const update = db.updateTable('users').set(columns).where('name', '=', name)
  const { numUpdatedRows } = await (
    passwordHash === undefined ? update : update.where('password_hash', '=', passwordHash)
  ).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns whether the user existed. */
export async function deleteUser(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('users')
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
