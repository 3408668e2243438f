import type { Selectable } from 'kysely'
import type { SignInTables } from '../tables/sign-in-tables.ts'
import type { Db } from '../storage.ts'

export type OAuthRow = Selectable<SignInTables['oauth_records']>

/** Inserts or updates a record; a consumed record stays consumed. */
export async function putOAuthRecord(db: Db, row: Omit<OAuthRow, 'consumed_at'>): Promise<void> {
  const { payload_json, grant_id, uid, expires_at } = row
  await db
    .insertInto('oauth_records')
    .values({ ...row, consumed_at: null })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'id']).doUpdateSet({ payload_json, grant_id, uid, expires_at }),
    )
    .execute()
}

export async function findOAuthRecord(
  db: Db,
  key: { readonly kind: string } & ({ readonly id: string } | { readonly uid: string }),
  now: number,
): Promise<OAuthRow | undefined> {
  return db
    .selectFrom('oauth_records')
    .selectAll()
    .where('kind', '=', key.kind)
    .where('id' in key ? 'id' : 'uid', '=', 'id' in key ? key.id : key.uid)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
}

/** Returns whether the record was unused; of two concurrent callers, only one gets true. */
export async function consumeOAuthRecord(
  db: Db,
  kind: string,
  id: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_records')
    .set({ consumed_at: now })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Extends a record to `until` if it expires before `within`, so that not every use is written. */
export async function keepOAuthRecord(
  db: Db,
  { kind, id }: { readonly kind: string; readonly id: string },
  until: number,
  within: number,
): Promise<void> {
  await db
    .updateTable('oauth_records')
    .set({ expires_at: until })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('expires_at', '<', within)
    .execute()
}

export async function deleteOAuthRecord(db: Db, kind: string, id: string): Promise<void> {
  await db.deleteFrom('oauth_records').where('kind', '=', kind).where('id', '=', id).execute()
}

export async function deleteOAuthGrant(db: Db, kind: string, grantId: string): Promise<void> {
  await db
    .deleteFrom('oauth_records')
    .where('kind', '=', kind)
    .where('grant_id', '=', grantId)
    .execute()
}

/** Which records are listed: of one account if it is given, and those that last longest first. */
export interface ListedRecords {
  readonly now: number
  readonly most: number
  readonly accountId?: string | undefined
}

/** Returns grants with a valid or renewable token, which are those of signed-in clients. */
export async function listLiveGrants(
  db: Db,
  { now, most, accountId }: ListedRecords,
): Promise<OAuthRow[]> {
  return db
    .selectFrom('oauth_records as held')
    .selectAll()
    .where('kind', '=', 'Grant')
    .where('expires_at', '>', now)
    .where('payload_json', 'like', ofAccount(accountId))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('oauth_records as token')
          .select('token.id')
          .whereRef('token.grant_id', '=', 'held.id')
          .where('token.kind', 'in', ['AccessToken', 'RefreshToken'])
          .where('token.consumed_at', 'is', null)
          .where('token.expires_at', '>', now),
      ),
    )
    .orderBy('expires_at', 'desc')
    .limit(most)
    .execute()
}

/** Deletes a grant with all its codes and tokens. */
export async function endOAuthGrant(db: Db, grantId: string): Promise<void> {
  await deleteOAuthRecord(db, 'Grant', grantId)
  await db.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
}

export async function listOAuthRecords(
  db: Db,
  kind: string,
  { now, most, accountId }: ListedRecords,
): Promise<OAuthRow[]> {
  return db
    .selectFrom('oauth_records')
    .selectAll()
    .where('kind', '=', kind)
    .where('payload_json', 'like', ofAccount(accountId))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('expires_at', 'desc')
    .limit(most)
    .execute()
}

/** Finds at least the records of the account: `_` in its id stands for any character here. */
function ofAccount(accountId: string | undefined): string {
  return accountId === undefined ? '%' : `%"accountId":${JSON.stringify(accountId)}%`
}

export async function deleteExpiredOAuthRecords(db: Db, now: number): Promise<void> {
  await db.deleteFrom('oauth_records').where('expires_at', '<=', now).execute()
}
