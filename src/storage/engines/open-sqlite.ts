import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Database as Schema } from '../database.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver } from './sqlite-driver.ts'

/** WAL lets readers continue during a write; with FULL, every commit survives a power loss. */
const PRAGMAS = [
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  'cache_size = -32000',
  'journal_size_limit = 67108864',
]
/** Blocks the event loop; only needed while another process recovers or resets the log. */
const READ_BUSY_TIMEOUT_MS = 250

/** Opens a SQLite file; `onMalformed` is called for every query that finds it damaged. */
export function openSqlite(file: string, onMalformed: (error: unknown) => void): Kysely<Schema> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  for (const each of [file, `${file}-wal`, `${file}-shm`]) keepPrivate(each)
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () =>
        new SqliteDriver((purpose) => new SqliteConnection(connect(file, purpose), onMalformed)),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/**
 * SQLite gives its files the mode that the first of them has, which by itself everybody can read. A
 * file that exists is never opened here: closing it would end all locks of this process on it, and
 * the next process that closes the database would delete the log that this one writes to.
 */
function keepPrivate(file: string): void {
  try {
    if (existsSync(file)) {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    } else if (file.endsWith('.db')) closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // Opening the database reports what is wrong with its file.
  }
}

function connect(file: string, purpose: 'read' | 'write'): Database.Database {
  const database = new Database(file)
  // Only while opening: two processes that switch a new file to WAL must wait for each other.
  database.exec('pragma busy_timeout = 5000')
  for (const pragma of PRAGMAS) database.exec(`pragma ${pragma}`)
  database.exec(`pragma busy_timeout = ${purpose === 'read' ? READ_BUSY_TIMEOUT_MS : 0}`)
  if (purpose === 'read') database.exec('pragma query_only = on')
  return database
}
