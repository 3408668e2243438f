import { type Kysely, type RawBuilder, type Transaction, sql } from 'kysely'
import type { Database } from './database.ts'
import type { Engine, Storage } from './storage.ts'
import { qualified } from './sql/qualified.ts'
import { StorageError } from './storage-failure.ts'

/** Encodes a vector for its column: pgvector's text form, or little-endian float32 bytes. */
export function toVectorColumn(vector: Float32Array, engine: Engine): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`${`[${vector.join(',')}]`}`
    : sql`${Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)}`
}

export function fromVectorColumn(value: unknown): Float32Array {
  if (typeof value === 'string') return Float32Array.from(value.slice(1, -1).split(','), Number)
  if (value instanceof ArrayBuffer) return new Float32Array(value)
  throw new TypeError('Not a vector column')
}

/**
 * Returns the type of a vector column. Without pgvector it is text in pgvector's form, so that
 * pgvector is not needed while no vectors are used; `useVectors` converts it.
 */
export async function vectorColumnType(tx: Transaction<Database>, engine: Engine): Promise<string> {
  if (engine === 'sqlite') return 'blob'
  return (await enableVectors(tx)) ? 'vector' : 'text'
}

/** Ensures that vectors can be stored and compared; throws if PostgreSQL has no pgvector. */
export async function useVectors(storage: Storage): Promise<void> {
  if (storage.engine === 'sqlite' || (await textColumns(storage.db)).length === 0) return
  await storage.transaction(async (tx) => {
    if (!(await enableVectors(tx)))
      throw new StorageError(
        'PostgreSQL has no pgvector, which search by meaning needs. Install it there (Debian: postgresql-<version>-pgvector) and run `create extension vector` once as a superuser, or search by words, without an embedding model.',
      )
    for (const table of await textColumns(tx))
      await sql`alter table ${sql.table(table)}
        alter column embedding type vector using embedding::vector`.execute(tx)
  })
}

const TABLES = ['trace_vectors', 'knowledge_vectors'] as const

/** Returns the tables whose vectors are still text. */
async function textColumns(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_attribute join pg_class on pg_class.oid = attrelid
    where attname = 'embedding' and atttypid = 'text'::regtype
      and attrelid in (${sql.join(TABLES.map((table) => sql`to_regclass(${qualified(db, table)})`))})`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

/**
 * Returns false if the extension neither exists nor can be created. A role without the right to
 * create it may use an existing one; a failed attempt must not end the transaction.
 */
async function enableVectors(tx: Transaction<Database>): Promise<boolean> {
  await sql`savepoint vectors`.execute(tx)
  try {
    await sql`create extension if not exists vector`.execute(tx)
    return true
  } catch {
    await sql`rollback to savepoint vectors`.execute(tx)
    return false
  } finally {
    await sql`release savepoint vectors`.execute(tx)
  }
}
