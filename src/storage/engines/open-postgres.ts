import { Kysely, PostgresDialect } from 'kysely'
import { Pool, types } from 'pg'
import type { Database } from '../database.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { applicationName } from '../replica-level.ts'

const INT8 = 20
const NUMERIC = 1700
const POOL_SIZE = 10

export function openPostgres(databaseUrl: string, poolSize = POOL_SIZE): Kysely<Database> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: applicationName(MIGRATIONS),
    types: { getTypeParser: parserFor },
  })
  // A connection closed by the server (a restart) must not crash the process: a running query fails
  // on its own, and the pool opens another connection. An idle connection emits the error on the
  // pool, one that is checked out between two queries only on itself.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/** Parses big integers as numbers, as SQLite does; counts and epoch milliseconds fit. */
function parserFor(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format)
}
