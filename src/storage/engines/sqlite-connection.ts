import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'libsql'
import { LRUCache } from 'lru-cache'
import type { CompiledQuery, QueryResult } from 'kysely'
import { codeOf } from '../../base/errors.ts'
import { storageFailure } from '../storage-failure.ts'

/** How long a writer waits for the other processes of this data folder before it gives up. */
const BUSY_DEADLINE_MS = 15_000
const MAX_STATEMENTS = 200
/** Longer statements are bulk inserts, which rarely repeat and take much memory. */
const MAX_KEPT_LENGTH = 10_000

/** One libsql connection. Everything is synchronous except waiting for other processes. */
export class SqliteConnection {
  readonly #database: Database.Database
  /** Statements are reused, because libsql frees them only on garbage collection. */
  readonly #statements = new LRUCache<string, Database.Statement>({ max: MAX_STATEMENTS })
  readonly #onMalformed: (error: unknown) => void

  constructor(database: Database.Database, onMalformed: (error: unknown) => void) {
    this.#database = database
    this.#onMalformed = onMalformed
  }

  isRead({ sql, query }: CompiledQuery): boolean {
    const mayRead = query.kind === 'SelectQueryNode' || query.kind === 'RawNode'
    return mayRead && this.#prepare(sql).reader
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#prepare(sql)
    // Always an array: libsql aborts the process when it gets a single Buffer.
    const values = [...parameters]
    try {
      // Kysely's row type is an assertion of the query that a driver cannot check.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (statement.reader) return { rows: statement.all(values) as R[] }
      return { rows: [], numAffectedRows: BigInt(statement.run(values).changes) }
    } catch (error) {
      // A failed statement may be in an unfinished state, so the next use prepares a new one.
      this.#statements.delete(sql)
      if (storageFailure(error) === 'malformed') this.#onMalformed(error)
      throw error
    }
  }

  /**
   * Waits without blocking the event loop, unlike SQLite's busy timeout. In libsql, a prepared
   * statement that meets a lock stays "in progress" and blocks later commits, so the lock is taken
   * first.
   */
  async begin(mode: 'deferred' | 'immediate'): Promise<void> {
    const deadline = Date.now() + BUSY_DEADLINE_MS
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#database.exec(`begin ${mode}`)
        return
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw error
        await sleep(Math.random() * Math.min(25, 1 + attempt * 2))
      }
    }
  }

  commit(): void {
    this.#database.exec('commit')
  }

  /** Rolls back unless SQLite already did (full disk); a second rollback would hide the error. */
  rollback(): void {
    if (this.#database.inTransaction) this.#database.exec('rollback')
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): Database.Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    if (sql.length <= MAX_KEPT_LENGTH) this.#statements.set(sql, statement)
    return statement
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') === true
}
