import { sql } from 'kysely'
import type { Db } from '../storage.ts'

/** Returns the quoted name of a table with its schema, for functions that look it up. */
export function qualified(db: Db, table: string): string {
  return sql`${sql.table(table)}`.compile(db).sql
}
