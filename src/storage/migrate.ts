import { type Kysely, type Transaction, sql } from 'kysely'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { qualified } from './sql/qualified.ts'
import { olderReplicas } from './replica-level.ts'
import type { Engine } from './storage.ts'
import { StorageError } from './storage-failure.ts'

/** One step forward. There is no way back: restore a backup instead. */
export interface Migration {
  /**
   * `0001-accounts`: its place in the order, and what it brings. By default it only adds, so that
   * code which does not know it goes on working. `…-contract` takes away what older code may use.
   */
  readonly name: string
  up(db: Transaction<Database>, engine: Engine): Promise<void>
}

/** Any constant will do, as long as every process of this product uses the same. */
const ADVISORY_LOCK = 7_072_020
const CONTRACT = /-contract$/

/** Applies what is missing, in one transaction: processes that start together wait, then find it done. */
export async function migrate(
  db: Kysely<Database>,
  engine: Engine,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  if (await isCurrent(db, engine, migrations)) return []
  return db.transaction().execute(async (tx) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
    await sql`create table if not exists ${sql.table('schema_migrations')}
      (name text primary key, applied_at bigint not null)`.execute(tx)
    const done = await applied(tx)
    refuseNewer(done, migrations)
    const ran: string[] = []
    for (const migration of migrations) {
      const { name } = migration
      if (done.has(name) || (CONTRACT.test(name) && (await olderReplicas(tx, engine, name)) > 0))
        continue
      await migration.up(tx, engine)
      await tx.insertInto('schema_migrations').values({ name, applied_at: Date.now() }).execute()
      ran.push(name)
    }
    return ran
  })
}

/** Looks without a lock first, so that opening an up-to-date database never waits for a writer. */
async function isCurrent(
  db: Kysely<Database>,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<boolean> {
  const found = await (
    engine === 'postgres'
      ? sql`select 1 where to_regclass(${qualified(db, 'schema_migrations')}) is not null`
      : sql`select 1 from sqlite_master where name = 'schema_migrations'`
  ).execute(db)
  if (found.rows.length === 0) return false
  const done = await applied(db)
  refuseNewer(done, migrations)
  return migrations.every(({ name }) => done.has(name))
}

async function applied(db: Kysely<Database>): Promise<Set<string>> {
  const rows = await db.selectFrom('schema_migrations').select('name').execute()
  return new Set(rows.map(({ name }) => name))
}

/** What a newer version added does no harm; what it took away does. */
function refuseNewer(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...done].filter((name) => CONTRACT.test(name) && !known.has(name))
  if (unknown.length > 0)
    throw new StorageError(
      `The database was written by a newer Portolan (it has ${unknown.join(', ')}): update this one, or use another data folder`,
    )
}
