import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { Invitation } from '../tables/trace-tables.ts'

export async function insertInvitations(
  db: Db,
  invitations: readonly Insertable<Database['invitations']>[],
): Promise<void> {
  await db.insertInto('invitations').values(invitations).execute()
}

export async function findInvitation(db: Db, codeHash: string): Promise<Invitation | undefined> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
}

/** Redeems an invitation; false if it was already used. */
export async function redeemInvitation(
  db: Db,
  id: string,
  redeemer: { readonly accountId: string; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('invitations')
    .set({ redeemed_by: redeemer.accountId, redeemed_at: redeemer.now })
    .where('id', '=', id)
    .where('redeemed_by', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function invitationsOf(db: Db, accountId: string): Promise<Invitation[]> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('created_by', '=', accountId)
    .orderBy('created_at', 'desc')
    .execute()
}
