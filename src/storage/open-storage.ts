import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { chooseSchema, ensureSchema } from './engines/schema.ts'
import type { Database } from './database.ts'
import { inSchema } from './engines/schema.ts'
import { migrate } from './migrate.ts'
import type { Engine, Storage } from './storage.ts'
import { isTransient } from './storage-failure.ts'

export interface StorageOptions {
  /** The data folder; the embedded database is `portolan.db` in it. */
  readonly home: string
  /** `postgres://…` to store the shared data on a server. */
  readonly databaseUrl?: string | undefined
  /** The schema of the tables; by default `portolan`, or the one an earlier version used. */
  readonly schema?: string | undefined
  /** The most connections to that server. */
  readonly poolSize?: number | undefined
}

const ATTEMPTS = 4

/** Opens the database and migrates its schema; drivers are loaded only when they are used. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { home, databaseUrl, poolSize } = options
  const engine: Engine = databaseUrl ? 'postgres' : 'sqlite'
  let damage: unknown
  const connected = databaseUrl
    ? (await import('./engines/open-postgres.ts')).openPostgres(databaseUrl, poolSize)
    : (await import('./engines/open-sqlite.ts')).openSqlite(
        join(home, 'portolan.db'),
        (error) => (damage ??= error),
      )
  try {
    const schema = databaseUrl ? (options.schema ?? (await chooseSchema(connected))) : undefined
    if (schema !== undefined) await ensureSchema(connected, schema)
    const db = schema === undefined ? connected : inSchema(connected, schema)
    await migrate(db, engine)
    return toStorage(db, { engine, schema, identity: identityOf(options) }, () => {
      if (damage !== undefined) throw damage
    })
  } catch (error) {
    await connected.destroy()
    throw error
  }
}

function toStorage(
  db: Kysely<Database>,
  about: Pick<Storage, 'engine' | 'schema' | 'identity'>,
  refuseDamaged: () => void,
): Storage {
  return {
    ...about,
    db,
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await db.transaction().execute(work)
        } catch (error) {
          // Two writers collided and the database rolled one back; its work can be repeated.
          if (attempt === ATTEMPTS || !isTransient(error)) throw error
        }
      }
    },
    async ping() {
      refuseDamaged()
      // Reads the table list from the file; `select 1` would not notice a missing file.
      await (
        about.engine === 'sqlite' ? sql`select count(*) from sqlite_schema` : sql`select 1`
      ).execute(db)
    },
    async close() {
      await db.destroy()
    },
  }
}

function identityOf({ home, databaseUrl, schema = '' }: StorageOptions): string {
  if (!databaseUrl) return createHash('sha256').update(resolve(home)).digest('hex').slice(0, 16)
  const { host, pathname } = new URL(databaseUrl)
  return createHash('sha256').update(`${host}${pathname}${schema}`).digest('hex').slice(0, 16)
}
