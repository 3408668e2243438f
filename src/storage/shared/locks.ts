import { sql } from 'kysely'
import type { Db } from '../storage.ts'

/** Waits until nobody else holds the lock of this name; it is released with the transaction. */
export async function lockName(db: Db, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

/** Tries to take the lock; for work that one replica should do and the others can skip. */
export async function tryLockName(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`.execute(db)
  return rows[0]?.free === true
}
