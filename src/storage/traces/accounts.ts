import { type Insertable, type Updateable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Db, Engine } from '../storage.ts'
import type { Account } from '../tables/trace-tables.ts'

export async function insertAccount(
  db: Db,
  account: Insertable<Database['accounts']>,
): Promise<void> {
  await db.insertInto('accounts').values(account).execute()
}

/** Finds the account of a key; revoked keys are not found. */
export async function findAccountByKey(
  db: Db,
  keyHashes: readonly string[],
): Promise<Account | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('key_hash', 'in', keyHashes)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
}

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Makes other transactions that lock or change this account wait for the end of this one. SQLite
 * has one writer anyway.
 */
export async function lockAccount(db: Db, engine: Engine, id: string): Promise<void> {
  if (engine === 'sqlite') return
  // Rows that refer to the account, such as its votes elsewhere, can still be inserted.
  await db.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

export async function displayNames(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'display_name'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, display_name }) => [id, display_name]))
}

export async function updateAccount(
  db: Db,
  id: string,
  change: Updateable<Database['accounts']>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set(change)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks the address as confirmed and uses up the code; undefined if the code is not valid. */
export async function confirmEmail(
  db: Db,
  verificationHash: string,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .updateTable('accounts')
    .set({ email_verified_at: now, verification_hash: null, verification_expires_at: null })
    .where('verification_hash', '=', verificationHash)
    .where('verification_expires_at', '>', now)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Takes one invite from an account atomically; false if it has none left. */
export async function takeInvite(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((eb) => ({ invites_remaining: eb('invites_remaining', '-', 1) }))
    .where('id', '=', id)
    .where('invites_remaining', '>', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function grantInvite(db: Db, id: string, cap: number): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({ invites_remaining: eb('invites_remaining', '+', 1) }))
    .where('id', '=', id)
    .where('invites_remaining', '<', cap)
    .execute()
}

export async function recentAccounts(db: Db, limit: number): Promise<Account[]> {
  return db.selectFrom('accounts').selectAll().orderBy('created_at', 'desc').limit(limit).execute()
}

const REFERENCES = [
  ['traces', 'contributor_id'],
  ['votes', 'voter_id'],
  ['amendments', 'submitter_id'],
  ['amendment_votes', 'voter_id'],
  ['flags', 'account_id'],
  ['invitations', 'created_by'],
] as const

/** Counts the references to an account, by table. */
export async function accountReferences(db: Db, id: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [table, column] of REFERENCES) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
      where ${sql.ref(column)} = ${id}`.execute(db)
    found[table] = rows[0]?.n ?? 0
  }
  return found
}

export async function deleteAccount(db: Db, id: string): Promise<void> {
  await db.deleteFrom('domain_reputation').where('contributor_id', '=', id).execute()
  await db.deleteFrom('accounts').where('id', '=', id).execute()
}
