import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'libsql'
import type {
  CompiledQuery,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'

/** How long a writer waits for the other processes of this data folder before it gives up. */
const BUSY_DEADLINE_MS = 15_000

/**
 * Kysely's own driver opens deferred transactions, which fail when two processes upgrade to a write
 * at once, and lets SQLite block the whole event loop while it waits. This one begins immediate and
 * waits asynchronously; queries of this process queue in order on the one connection.
 */
export class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection
  readonly #database: Database.Database
  #tail: Promise<void> = Promise.resolve()
  #release: (() => void) | undefined

  constructor(database: Database.Database) {
    this.#database = database
    this.#connection = new SqliteConnection(database)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#tail
    const { promise, resolve } = withResolvers()
    this.#tail = promise
    await before
    this.#release = resolve
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release?.()
  }

  async beginTransaction(_: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const mode = settings.accessMode === 'read only' ? 'deferred' : 'immediate'
    await begin(this.#database, mode)
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit')
  }

  /** A full disk makes SQLite roll back by itself; a second rollback would hide the real error. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback')
  }

  async destroy(): Promise<void> {
    await this.#tail
    this.#database.close()
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    this.#database = database
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#database.prepare(query.sql)
    if (this.#database.inTransaction || isRead(statement, query)) return run(statement, query)
    // A prepared statement that meets a lock stays "in progress" in libsql and blocks later commits,
    // so a single write gets its lock the same way as a transaction: before it runs.
    await begin(this.#database, 'immediate')
    try {
      const result = run<R>(statement, query)
      this.#database.exec('commit')
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  // oxlint-disable-next-line require-yield -- the port asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('SQLite reads are paged, not streamed: see read-rows.ts')
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  const made: { resolve?: () => void } = {}
  const promise = new Promise<void>((resolve) => {
    made.resolve = resolve
  })
  return { promise, resolve: () => made.resolve?.() }
}

async function begin(database: Database.Database, mode: 'deferred' | 'immediate'): Promise<void> {
  const deadline = Date.now() + BUSY_DEADLINE_MS
  for (let attempt = 0; ; attempt += 1) {
    try {
      database.exec(`begin ${mode}`)
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      await sleep(Math.random() * Math.min(25, 1 + attempt * 2))
    }
  }
}

function isRead(statement: Database.Statement, { query }: CompiledQuery): boolean {
  return statement.reader && (query.kind === 'SelectQueryNode' || query.kind === 'RawNode')
}

function run<R>(statement: Database.Statement, { parameters }: CompiledQuery): QueryResult<R> {
  // Always one array: libsql aborts the process when it is handed a lone Buffer.
  const values = [...parameters]
  // Kysely's types of a row are a promise of the query, which no driver can check.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (statement.reader) return { rows: statement.all(values) as R[] }
  return { rows: [], numAffectedRows: BigInt(statement.run(values).changes) }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
