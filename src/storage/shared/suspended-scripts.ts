import { type Selectable, sql } from 'kysely'
import type { SharedTables } from '../tables/shared-tables.ts'
import type { Db, Storage } from '../storage.ts'

type SuspendedRow = Selectable<SharedTables['suspended_scripts']>

export interface SuspendedLimits {
  /** The most scripts of one owner; the oldest are removed. */
  readonly perOwner: number
  /** The most bytes of all images together; the oldest are removed. */
  readonly maxBytes: number
  /** How long the outcome of an expired script is kept. */
  readonly rememberMs: number
}

/** The remains of a script: its image, for the first caller that takes it in time. */
export type TakenRow = Pick<SuspendedRow, 'image' | 'trail' | 'resumed_at'>

/** A store of suspended scripts. */
export interface SuspendedStore {
  /** Replaces a script with the same id, which has continued since. */
  insert(row: SuspendedRow): Promise<void>
  /** Like `take`, but leaves the script in the store. */
  read(id: string, owner: string): Promise<TakenRow | undefined>
  /** Takes a script; undefined if the owner has no such script. */
  take(id: string, owner: string): Promise<TakenRow | undefined>
  remove(id: string): Promise<void>
  /** Removes expired scripts. */
  trim(): Promise<void>
}

export function createSuspendedStore(storage: Storage, limits: SuspendedLimits): SuspendedStore {
  const { db } = storage
  return {
    async insert(row) {
      await storage.transaction(async (tx) => {
        await tx
          .insertInto('suspended_scripts')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute()
        await trimOwner(tx, row.owner, limits)
        await trim(tx, limits)
      })
    },
    read: async (id, owner) => rowOf(db, id, owner),
    async take(id, owner) {
      const row = await rowOf(db, id, owner)
      if (!row || row.image === null) return row
      if (await takeImage(db, id)) return row
      // Another caller was faster, or the script has just expired.
      const now = await db
        .selectFrom('suspended_scripts')
        .select('resumed_at')
        .where('id', '=', id)
        .executeTakeFirst()
      return { ...row, image: null, resumed_at: now?.resumed_at ?? null }
    },
    async remove(id) {
      await db.deleteFrom('suspended_scripts').where('id', '=', id).execute()
    },
    trim: async () => trim(db, limits),
  }
}

async function rowOf(db: Db, id: string, owner: string): Promise<SuspendedRow | undefined> {
  return db
    .selectFrom('suspended_scripts')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', owner)
    .executeTakeFirst()
}

/** Removes the image atomically, so that only one caller gets it. */
async function takeImage(db: Db, id: string): Promise<boolean> {
  const now = Date.now()
  const { numUpdatedRows } = await db
    .updateTable('suspended_scripts')
    .set({ image: null, bytes: 0, resumed_at: now })
    .where('id', '=', id)
    .where('image', 'is not', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function trimOwner(db: Db, owner: string, { perOwner }: SuspendedLimits): Promise<void> {
  const table = sql.table('suspended_scripts')
  await sql`delete from ${table} where owner = ${owner} and id not in (
    select id from ${table} where owner = ${owner}
    order by created_at desc, id limit ${perOwner})`.execute(db)
}

async function trim(db: Db, { maxBytes, rememberMs }: SuspendedLimits): Promise<void> {
  const now = Date.now()
  await db
    .updateTable('suspended_scripts')
    .set({ image: null, bytes: 0 })
    .where('expires_at', '<=', now)
    .where('bytes', '>', 0)
    .execute()
  await db
    .deleteFrom('suspended_scripts')
    .where('expires_at', '<=', now - rememberMs)
    .execute()
  const table = sql.table('suspended_scripts')
  await sql`delete from ${table} where id in (
    select id from (
      select id, sum(bytes) over (order by created_at desc, id) as newer from ${table}
    ) as running where newer > ${maxBytes})`.execute(db)
}
