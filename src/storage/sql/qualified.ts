import { sql } from 'kysely'
import type { Db } from '../storage.ts'

/** The name of a table as this database writes it, schema included: for functions that look it up. */
export function qualified(db: Db, table: string): string {
  return sql`${sql.table(table)}`.compile(db).sql
}
