import { sql } from 'kysely'
import type { Db, Engine } from './storage.ts'

const PREFIX = 'portolan '

/** Names a replica's connections after the last migration it knows: `portolan 0021`. */
export function applicationName(migrations: readonly { readonly name: string }[]): string {
  return `${PREFIX}${numberOf(migrations.at(-1)?.name ?? '0000')}`
}

/**
 * Counts the connections of replicas that do not know this migration. They may still use what it
 * removes, so it waits until they are gone. With SQLite, other users of the file are not visible.
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
