import type { Kysely, Transaction } from 'kysely'
import type { Database } from './database.ts'

export type Engine = 'sqlite' | 'postgres'

/** What a query needs: the whole database, or the transaction it takes part in. */
export type Db = Kysely<Database> | Transaction<Database>

export interface Storage {
  readonly engine: Engine
  /** Where the tables are on PostgreSQL; SQLite has no schemas. */
  readonly schema: string | undefined
  /** Tells databases apart without naming a credential: what is derived from one is not used with another. */
  readonly identity: string
  readonly db: Kysely<Database>
  /** Takes the write lock first on SQLite, so `work` never fails half-way because another process writes. */
  transaction<T>(work: (db: Transaction<Database>) => Promise<T>): Promise<T>
  /** Rejects when the database cannot be reached, or a query has found its file damaged. */
  ping(): Promise<void>
  close(): Promise<void>
}
