import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'libsql'
import { LRUCache } from 'lru-cache'
import type { CompiledQuery, QueryResult } from 'kysely'
import { codeOf } from '../../base/errors.ts'
import { storageFailure } from '../storage-failure.ts'

/** How long a writer waits for the other processes of this data folder before it gives up. */
const BUSY_DEADLINE_MS = 15_000
const MOST_STATEMENTS = 200
/** Longer ones are the inserts of a bulk load: hardly two are alike, and each takes much memory. */
const LONGEST_KEPT = 10_000

/** One libsql connection. Everything on it is synchronous but the wait for other processes. */
export class SqliteConnection {
  readonly #database: Database.Database
  /** libsql frees a statement only when the garbage collector comes by, so each is used again. */
  readonly #statements = new LRUCache<string, Database.Statement>({ max: MOST_STATEMENTS })
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
    // Always one array: libsql aborts the process when it is handed a lone Buffer.
    const values = [...parameters]
    try {
      // Kysely's types of a row are a promise of the query, which no driver can check.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (statement.reader) return { rows: statement.all(values) as R[] }
      return { rows: [], numAffectedRows: BigInt(statement.run(values).changes) }
    } catch (error) {
      // A statement that failed may be left half-way: the next use gets a new one.
      this.#statements.delete(sql)
      if (storageFailure(error) === 'malformed') this.#onMalformed(error)
      throw error
    }
  }

  /**
   * Waits without holding up the event loop, as SQLite's own waiting would. A prepared statement that
   * meets a lock stays "in progress" in libsql and blocks later commits, so the lock comes first.
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

  /** A full disk makes SQLite roll back by itself; a second rollback would hide the real error. */
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
    if (sql.length <= LONGEST_KEPT) this.#statements.set(sql, statement)
    return statement
  }
}

function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') === true
}
