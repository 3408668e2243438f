import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { startPgBouncer } from '../../test/support/pgbouncer.ts'
import { openStorage } from './open-storage.ts'
import { addAuditDays, dropAuditDays } from './shared/audit-entries.ts'
import { ensureSecret } from './shared/secrets.ts'
import type { Storage } from './storage.ts'
import { totals } from './traces/usage.ts'

const DAY_MS = 86_400_000

async function connected(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  onTestFinished(async () => client.end())
  return client
}

async function opened(databaseUrl: string, schema?: string): Promise<Storage> {
  const storage = await openStorage({ home: '', databaseUrl, schema })
  onTestFinished(async () => storage.close())
  return storage
}

async function secret({ db }: Storage, value: string): Promise<string> {
  return ensureSecret(db, 'handles', () => value)
}

async function tablesIn(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ tablename: string }>(
    'select tablename from pg_tables where schemaname = $1 order by 1',
    [schema],
  )
  return rows.map(({ tablename }) => tablename)
}

it("keeps to its own schema, whatever the application's tables are called", async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const application = await connected(url)
  // As Rails has it, and a table of one of our names.
  await application.query('create table schema_migrations (version text primary key)')
  await application.query('create table traces (span text)')
  await application.query("insert into traces values ('theirs')")

  const storage = await opened(url)
  await addAuditDays(storage.db, Date.now())
  await dropAuditDays(storage.db, Date.now() + 30 * DAY_MS)
  expect(await totals(storage.db)).toMatchObject({ traces: 0 })

  expect(await tablesIn(application, 'public')).toEqual(['schema_migrations', 'traces'])
  expect(await tablesIn(application, 'portolan')).toEqual(
    expect.arrayContaining(['accounts', 'audit_entries', 'knowledge_chunks', 'traces']),
  )
  const { rows } = await application.query('select * from traces')
  expect(rows).toEqual([{ span: 'theirs' }])
})

it('lets two installations share a database, each in its own schema', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const [one, other] = [await opened(url, 'team_a'), await opened(url, 'team_b')]
  expect(await secret(one, 'first')).toBe('first')
  expect(await secret(other, 'second')).toBe('second')
  expect(await secret(await opened(url, 'team_a'), 'third')).toBe('first')
})

it('goes on where an earlier version has its tables', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const earlier = await opened(url, 'public')
  await secret(earlier, 'kept')
  const storage = await opened(url)
  expect(await secret(storage, 'lost')).toBe('kept')
  expect(await tablesIn(await connected(url), 'portolan')).toEqual([])
})

it('needs no session of its own: PgBouncer may give each statement another connection', async () => {
  const direct = await createDatabase(inject('postgresUrl'))
  const pooled = await startPgBouncer(direct, onTestFinished)
  const storage = await opened(pooled)
  const counted = Array.from({ length: 20 }, async () => totals(storage.db))
  expect(new Set((await Promise.all(counted)).map(({ traces }) => traces))).toEqual(new Set([0]))
  expect(await tablesIn(await connected(direct), 'portolan')).toContain('traces')
}, 120_000)
