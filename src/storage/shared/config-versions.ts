import type { Selectable } from 'kysely'
import { nextRevision } from '../revisions.ts'
import type { SharedTables } from '../tables/shared-tables.ts'
import type { Db } from '../storage.ts'

export type ConfigRow = Selectable<SharedTables['config_versions']>

const SERIES = 'config'

/** Adds the next version. Call it last in a transaction, because its counter stays locked. */
export async function addConfigVersion(
  db: Db,
  content: Omit<ConfigRow, 'version'>,
): Promise<ConfigRow> {
  const version = await nextRevision(db, SERIES)
  return db
    .insertInto('config_versions')
    .values({ ...content, version })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function latestConfig(db: Db): Promise<ConfigRow | undefined> {
  return db
    .selectFrom('config_versions')
    .selectAll()
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function latestConfigVersion(db: Db): Promise<number> {
  const row = await db
    .selectFrom('config_versions')
    .select('version')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.version ?? 0
}

export async function findConfig(db: Db, version: number): Promise<ConfigRow | undefined> {
  return db
    .selectFrom('config_versions')
    .selectAll()
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Returns the versions, newest first. */
export async function configVersions(db: Db, limit: number): Promise<ConfigRow[]> {
  return db
    .selectFrom('config_versions')
    .selectAll()
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}
