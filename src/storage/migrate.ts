import { type Kysely, type Transaction, sql } from 'kysely'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { qualified } from './sql/qualified.ts'
import { olderReplicas } from './replica-level.ts'
import type { Engine } from './storage.ts'
import { StorageError } from './storage-failure.ts'

/** One migration step. There is no way back except restoring a backup. */
export interface Migration {
  /**
   * Its position and its content, as in `0001-accounts`. By default a migration only adds, so older
   * code keeps working. `…-contract` removes something that older code may use.
   */
  readonly name: string
  up(db: Transaction<Database>, engine: Engine): Promise<void>
}

/** An arbitrary constant that all Portolan processes share. */
const ADVISORY_LOCK = 7_072_020
const CONTRACT = /-contract$/

/** Applies missing migrations in one transaction; concurrent processes wait and find them done. */
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

/** Checks without a lock, so that opening an up-to-date database does not wait for a writer. */
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

/** Throws if a newer version removed something; what it only added does no harm. */
function refuseNewer(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...done].filter((name) => CONTRACT.test(name) && !known.has(name))
  if (unknown.length > 0)
    throw new StorageError(
      `The database was written by a newer Portolan (it has ${unknown.join(', ')}): update this one, or use another data folder`,
    )
}
