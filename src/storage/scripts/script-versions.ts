import type { Selectable } from 'kysely'
import type { Db } from '../storage.ts'
import type { ScriptTables } from '../tables/script-tables.ts'

export type VersionRow = Selectable<ScriptTables['saved_script_versions']>
export type ScriptRow = VersionRow & { readonly active_version: number | null }

function versions(db: Db) {
  return db
    .selectFrom('saved_script_versions as v')
    .innerJoin('saved_scripts as s', 's.name', 'v.name')
    .selectAll('v')
    .select('s.active_version')
}

/** Returns all versions of a script, newest first. */
export async function versionsOf(db: Db, name: string): Promise<ScriptRow[]> {
  return versions(db).where('v.name', '=', name).orderBy('v.version', 'desc').execute()
}

/** Returns the newest and the active version of each script, by name, newest first. */
export async function currentVersions(db: Db): Promise<ScriptRow[]> {
  return versions(db)
    .where((eb) =>
      eb.or([
        eb('v.version', '=', eb.ref('s.active_version')),
        eb(
          'v.version',
          '=',
          eb
            .selectFrom('saved_script_versions as n')
            .select((of) => of.fn.max('n.version').as('newest'))
            .whereRef('n.name', '=', 'v.name'),
        ),
      ]),
    )
    .orderBy('v.name')
    .orderBy('v.version', 'desc')
    .execute()
}

export async function activeVersions(db: Db): Promise<ScriptRow[]> {
  return versions(db).whereRef('v.version', '=', 's.active_version').orderBy('v.name').execute()
}

export async function countScripts(db: Db): Promise<{ scripts: number; proposed: number }> {
  const scripts = await db
    .selectFrom('saved_scripts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const proposed = await db
    .selectFrom('saved_script_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'proposed')
    .executeTakeFirstOrThrow()
  return { scripts: scripts.count, proposed: proposed.count }
}

/** Creates the row of a script if it is missing, and locks it until the transaction ends. */
export async function holdScript(db: Db, name: string): Promise<void> {
  await db
    .insertInto('saved_scripts')
    .values({ name, active_version: null })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
    .execute()
}

/** Locks the row of a script until the transaction ends, if there is one. */
export async function lockScript(db: Db, name: string): Promise<void> {
  await db.updateTable('saved_scripts').set({ name }).where('name', '=', name).execute()
}

export async function addVersion(db: Db, row: VersionRow): Promise<void> {
  await db.insertInto('saved_script_versions').values(row).execute()
}

export async function setActive(db: Db, name: string, version: number | null): Promise<void> {
  await db
    .updateTable('saved_scripts')
    .set({ active_version: version })
    .where('name', '=', name)
    .execute()
}

export async function decide(
  db: Db,
  { name, version }: Pick<VersionRow, 'name' | 'version'>,
  decision: Pick<VersionRow, 'state' | 'decided_by' | 'decided_at'>,
): Promise<void> {
  await db
    .updateTable('saved_script_versions')
    .set(decision)
    .where('name', '=', name)
    .where('version', '=', version)
    .execute()
}

/** Returns whether the script existed. */
export async function deleteScript(db: Db, name: string): Promise<boolean> {
  // First, as this waits for a transaction that is adding a version.
  const { numDeletedRows } = await db
    .deleteFrom('saved_scripts')
    .where('name', '=', name)
    .executeTakeFirst()
  await db.deleteFrom('saved_script_versions').where('name', '=', name).execute()
  return numDeletedRows > 0n
}
