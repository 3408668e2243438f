import { sql } from 'kysely'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testAuditSearch } from '../../../test/support/test-audit-search.ts'
import type { CallEvent } from '../../gateway/call.ts'
import { backupStorage, restoreStorage } from '../../storage/backup/backup.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Storage } from '../../storage/storage.ts'
import { addAuditDays, dropAuditDays, insertAudit } from '../../storage/shared/audit-entries.ts'
import { createAuditIndex } from './audit-index.ts'

testAuditSearch('PostgreSQL', {
  async record(events, later) {
    const database = await openTestDatabase({}, later)
    const index = database.auditIndex()
    for (const event of events) index.record(event)
    await index.close()
    return database.auditSearch
  },
})

async function freshStorage(): Promise<Storage> {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const storage = await openStorage({ home: '', databaseUrl })
  onTestFinished(async () => storage.close())
  return storage
}

const event = (more: Partial<CallEvent> = {}): CallEvent => ({
  id: 'one',
  operation: 'execute_tool',
  startedAt: Date.now(),
  durationMs: 1.5,
  decision: 'ALLOW',
  ...more,
})

async function partitions({ db }: Storage): Promise<string[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    select relname as name, count(*) as count from ${sql.table('audit_entries')} entries
    join pg_class on pg_class.oid = entries.tableoid group by 1 order by 1`.execute(db)
  return rows.map(({ name, count }) => `${name}: ${count}`)
}

const day = (n: number) => Date.parse('2026-03-10T08:00:00Z') + n * 86_400_000
const row = (at: number) => ({
  at,
  id: 'x',
  agent: null,
  server: null,
  tool: null,
  decision: 'ALLOW',
  line: '{}',
})

it('puts each day in a partition of its own, and drops the days that are over', async () => {
  const { storage } = await openTestDatabase()
  await addAuditDays(storage.db, day(0))
  await insertAudit(storage.db, [row(day(-5)), row(day(0)), row(day(1)), row(day(2))])
  await insertAudit(storage.db, [row(day(2))])
  expect(await partitions(storage)).toEqual([
    'audit_entries_20260310: 1',
    'audit_entries_20260311: 1',
    'audit_entries_20260312: 1',
    'audit_entries_other: 1',
  ])
  await dropAuditDays(storage.db, day(2))
  expect(await partitions(storage)).toEqual(['audit_entries_20260312: 1'])
})

it('takes part in a backup, and goes on with its days after a restore', async () => {
  const [from, to] = [await openTestDatabase(), await freshStorage()]
  const today = Date.now()
  await addAuditDays(from.storage.db, today)
  await insertAudit(from.storage.db, [row(today), row(day(0))])
  const file = tempFolder().file('backup.gz')
  await backupStorage(from.storage, file)
  await restoreStorage(to, file)
  expect(await partitions(to)).toEqual(['audit_entries_other: 2'])
  await addAuditDays(to.db, today)
  await insertAudit(to.db, [{ ...row(today), id: 'y' }, row(today + 2 * 86_400_000)])
  const after = await partitions(to)
  expect(after.at(-1)).toBe('audit_entries_other: 3')
  expect(after).toHaveLength(2)
})

it('takes names that PostgreSQL cannot hold, and shows no secret in them', async () => {
  const database = await openTestDatabase()
  const { auditSearch, storage } = database
  const index = database.auditIndex()
  index.record(event({ agent: 'a\0b', tool: 'x'.repeat(10_000), error: 'nul \0 in it' }))
  index.record(event({ tool: 'ghp_0123456789abcdefghij' }))
  await index.close()
  expect(index.status).toMatchObject({ written: 2, dropped: 0, lastError: undefined })
  expect((await auditSearch.search({ limit: 9, agent: 'ab' })).records).toHaveLength(1)
  const rows = await storage.db.selectFrom('audit_entries').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('ghp_')
})

it('drops and counts what does not fit, and keeps what was there', async () => {
  const { storage } = await openTestDatabase()
  const index = createAuditIndex({ storage, maxWaiting: 3, flushMs: 60_000 })
  for (let n = 0; n < 5; n++) index.record(event())
  expect(index.status).toMatchObject({ waiting: 3, dropped: 2 })
  await index.close()
  expect(index.status).toMatchObject({ written: 3, waiting: 0, dropped: 2 })
})

it('refuses a cursor that it did not make', async () => {
  const { auditSearch } = await openTestDatabase()
  await expect(auditSearch.search({ limit: 1, cursor: 'x; drop' })).rejects.toThrow(/not a cursor/)
})

it('adds up the calls of all replicas, each once although a batch comes again', async () => {
  const database = await openTestDatabase()
  const { storage, history } = database
  const call = event({ agent: 'ada', server: 'files', tool: 'read', tokenCount: 1_000_000 })
  const replicas = [database.auditIndex(() => PRICES), createAuditIndex({ storage })]
  for (let round = 0; round < 3; round++)
    for (const index of replicas) index.record({ ...call, durationMs: 10 * round })
  await Promise.all(replicas.map(async (index) => index.close()))
  const { all, agents, tools, latency, points, sinceMs } = await history.read('24h')
  // The other replica knows no prices.
  expect(all).toMatchObject({ calls: 6, tokens: 6_000_000, money: 6 })
  expect(agents).toMatchObject([{ name: 'ada', calls: 6 }])
  expect(tools).toMatchObject([{ name: 'files/read', calls: 6 }])
  expect(latency?.p50).toBeCloseTo(10, 0)
  expect(points.reduce((sum, { calls }) => sum + calls, 0)).toBe(6)
  expect(sinceMs).toBeLessThanOrEqual(Date.now())
  for (const span of ['1h', '7d', '30d'] as const)
    expect((await history.read(span)).all.calls).toBe(6)

  const losing = losingOneAnswer(storage)
  const lost = createAuditIndex({ storage: losing.storage, flushMs: 1 })
  lost.record(call)
  await expect.poll(() => losing.lost()).toBe(1)
  lost.record(call)
  await expect.poll(() => lost.status.written, { timeout: 20_000 }).toBe(2)
  await lost.close()
  expect((await history.read('24h')).all.calls).toBe(8)
})

const PRICES = { tokens: { ada: 2 }, calls: {} }

/** The first batch is stored, but its answer is lost. */
function losingOneAnswer(storage: Storage) {
  let transactions = 0
  let lost = 0
  return {
    lost: () => lost,
    storage: {
      ...storage,
      async transaction<T>(work: Parameters<typeof storage.transaction<T>>[0]) {
        const result = await storage.transaction(work)
        transactions += 1
        // The one before adds the days.
        if (transactions !== 2) return result
        lost += 1
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
      },
    },
  }
}
