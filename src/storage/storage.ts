import type { Kysely, Transaction } from 'kysely'
import type { Database } from './database.ts'

export type Engine = 'sqlite' | 'postgres'

/** What a query runs on: the database, or a transaction. */
export type Db = Kysely<Database> | Transaction<Database>

export interface Storage {
  readonly engine: Engine
  /** The schema of the tables on PostgreSQL; SQLite has no schemas. */
  readonly schema: string | undefined
  /** Identifies a database without credentials, so that derived files are not used with another. */
  readonly identity: string
  readonly db: Kysely<Database>
  /** Takes the write lock first on SQLite, so that another writer cannot fail `work` half-way. */
  transaction<T>(work: (db: Transaction<Database>) => Promise<T>): Promise<T>
  /** Rejects when the database cannot be reached, or a query has found its file damaged. */
  ping(): Promise<void>
  close(): Promise<void>
}
