import { sql } from 'kysely'
import type { Db, Engine } from './storage.ts'

const PREFIX = 'portolan '

/** How a replica's connections are called: by the last migration it knows, `portolan 0021`. */
export function applicationName(migrations: readonly { readonly name: string }[]): string {
  return `${PREFIX}${numberOf(migrations.at(-1)?.name ?? '0000')}`
}

/**
 * How many connections belong to replicas that do not know this migration. They may still use what it
 * takes away, so it waits until they are gone. Embedded, nobody can tell who else has the file open.
 */
export async function olderReplicas(db: Db, engine: Engine, migration: string): Promise<number> {
  if (engine !== 'postgres') return 0
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name like 'portolan%'
      and application_name < ${`${PREFIX}${numberOf(migration)}`}`.execute(db)
  return rows[0]?.count ?? 0
}

function numberOf(migration: string): string {
  return migration.slice(0, 4)
}
