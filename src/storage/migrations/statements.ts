import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'
import type { Db } from '../storage.ts'
import { vectorColumnType } from '../vectors.ts'

/** Executes statements that `;` separates; `@votes` is the table `votes` in the schema of `db`. */
export async function execute(db: Db, script: string): Promise<void> {
  for (const statement of script.split(';')) {
    const parts = statement
      .trim()
      .split(/@(\w+)/)
      .map((part, index) => (index % 2 === 1 ? sql.table(part) : sql.raw(part)))
    await sql.join(parts, sql.raw('')).execute(db)
  }
}

/** `:vector` is the type of columns that hold vectors. */
export function statements(script: string): Migration['up'] {
  return async (db, engine) => {
    const hasVectors = script.includes(':vector')
    const type = hasVectors ? await vectorColumnType(db, engine) : ''
    await execute(db, script.replace(':vector', type))
  }
}
