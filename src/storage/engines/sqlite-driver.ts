import type {
  CompiledQuery,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import type { SqliteConnection } from './sqlite-connection.ts'

export type OpenConnection = (purpose: 'read' | 'write') => SqliteConnection

/**
 * Uses two connections: writers take turns on the first with immediate transactions; reads go to
 * the second without waiting, and see committed data. Kysely's own driver has one connection and
 * deferred transactions, which fail when two processes upgrade to a write at the same time.
 */
export class SqliteDriver implements Driver {
  readonly #open: OpenConnection
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection
  #turn: Promise<void> = Promise.resolve()

  constructor(open: OpenConnection) {
    this.#open = open
    this.#writer = open('write')
    this.#reader = open('read')
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Session> {
    return new Session({
      reader: this.#reader,
      writer: this.#writer,
      takeTurn: async () => this.#takeTurn(),
      openSnapshot: () => this.#open('read'),
    })
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(session: Session, settings: TransactionSettings): Promise<void> {
    await session.begin(settings.accessMode === 'read only')
  }

  async commitTransaction(session: Session): Promise<void> {
    session.commit()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async destroy(): Promise<void> {
    await this.#turn
    this.#reader.close()
    this.#writer.close()
  }

  /** Resolves when it is this writer's turn; returns the function that ends the turn. */
  async #takeTurn(): Promise<() => void> {
    const before = this.#turn
    const made: { resolve?: () => void } = {}
    this.#turn = new Promise<void>((resolve) => {
      made.resolve = resolve
    })
    await before
    return () => made.resolve?.()
  }
}

interface SessionParts {
  readonly reader: SqliteConnection
  readonly writer: SqliteConnection
  readonly takeTurn: () => Promise<() => void>
  /** Opens a separate connection for reads that must share one snapshot. */
  readonly openSnapshot: () => SqliteConnection
}

interface Transaction {
  readonly connection: SqliteConnection
  readonly release: () => void
}

/** A connection as Kysely sees it: a transaction, or single queries. */
class Session implements DatabaseConnection {
  readonly #parts: SessionParts
  #transaction: Transaction | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.connection.run(query)
    if (this.#parts.reader.isRead(query)) return this.#parts.reader.run(query)
    await this.begin(false)
    try {
      const result = this.#parts.writer.run<R>(query)
      this.commit()
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  async begin(readOnly: boolean): Promise<void> {
    const transaction = readOnly ? this.#snapshot() : await this.#turn()
    try {
      await transaction.connection.begin(readOnly ? 'deferred' : 'immediate')
    } catch (error) {
      transaction.release()
      throw error
    }
    this.#transaction = transaction
  }

  /** Commits. A commit that fails leaves the transaction open, to be rolled back. */
  commit(): void {
    this.#transaction?.connection.commit()
    this.#release()
  }

  /** Rolls back; the next writer gets its turn even if that fails. */
  rollback(): void {
    try {
      this.#transaction?.connection.rollback()
    } finally {
      this.#release()
    }
  }

  // oxlint-disable-next-line require-yield -- the port asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('SQLite reads are paged, not streamed: see rows.ts')
  }

  #release(): void {
    this.#transaction?.release()
    this.#transaction = undefined
  }

  async #turn(): Promise<Transaction> {
    return { connection: this.#parts.writer, release: await this.#parts.takeTurn() }
  }

  #snapshot(): Transaction {
    const connection = this.#parts.openSnapshot()
    return { connection, release: () => connection.close() }
  }
}
