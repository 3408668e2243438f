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
  // A connection that the server closes (a restart) is an event, not a crash: a query in flight fails by
  // itself, and the pool opens another. Idle ones tell the pool; one between two queries tells only itself.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/** Counts and epoch milliseconds fit a number; SQLite gives numbers too. */
function parserFor(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format)
}
