import type { Selectable } from 'kysely'
import type { SignInTables } from '../tables/sign-in-tables.ts'
import type { Db } from '../storage.ts'

export type OAuthRow = Selectable<SignInTables['oauth_records']>

/** A record that was consumed stays so, whatever is written over it. */
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

/** Whether it was still unused: of two who use it at the same moment, one gets true. */
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

/** Keeps a record until then, where it would be forgotten before `within`: not every use is written. */
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

/** Grants with a token that is still good, or can be renewed: those of clients that are signed in. */
export async function listLiveGrants(db: Db, now: number, most: number): Promise<OAuthRow[]> {
  return db
    .selectFrom('oauth_records as held')
    .selectAll()
    .where('kind', '=', 'Grant')
    .where('expires_at', '>', now)
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

/** A grant, with every code and token that came of it. */
export async function endOAuthGrant(db: Db, grantId: string): Promise<void> {
  await deleteOAuthRecord(db, 'Grant', grantId)
  await db.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
}

export async function listOAuthRecords(
  db: Db,
  kind: string,
  now: number,
  most: number,
): Promise<OAuthRow[]> {
  return db
    .selectFrom('oauth_records')
    .selectAll()
    .where('kind', '=', kind)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('expires_at', 'desc')
    .limit(most)
    .execute()
}

export async function deleteExpiredOAuthRecords(db: Db, now: number): Promise<void> {
  await db.deleteFrom('oauth_records').where('expires_at', '<=', now).execute()
}
