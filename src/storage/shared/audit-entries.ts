import { type Selectable, sql } from 'kysely'
import type { SharedTables } from '../tables/shared-tables.ts'
import { qualified } from '../sql/qualified.ts'
import type { Db } from '../storage.ts'

export type AuditRow = Selectable<SharedTables['audit_entries']>

export interface AuditFilter {
  readonly agent?: string | undefined
  /** The folder that the call was made in, which has no column. */
  readonly folder?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly decision?: string | undefined
  /** Has no column either. */
  readonly operation?: string | undefined
  readonly text?: string | undefined
  /** Calls that have the text elsewhere. */
  readonly ids?: readonly string[] | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only entries older than this one. */
  readonly before?: { readonly at: number; readonly id: string } | undefined
  readonly limit: number
}

const DAY_MS = 86_400_000
/** The number of days for which partitions are created in advance. */
const DAYS_AHEAD = 2

/**
 * Inserts with one array per column, which is cheapest. Repeating a batch adds no duplicates.
 * Returns the ids of the entries that are new.
 */
export async function insertAudit(db: Db, rows: readonly AuditRow[]): Promise<string[]> {
  const column = <Name extends keyof AuditRow>(name: Name) => rows.map((row) => row[name])
  const inserted = await sql<{
    id: string
  }>`insert into ${sql.table('audit_entries')} (at, id, agent, server, tool, decision, line)
    select * from unnest(${column('at')}::bigint[], ${column('id')}::text[],
      ${column('agent')}::text[], ${column('server')}::text[], ${column('tool')}::text[],
      ${column('decision')}::text[], ${column('line')}::text[])
    on conflict do nothing returning id`.execute(db)
  return inserted.rows.map(({ id }) => id)
}

/** Returns matching entries, newest first. */
export async function searchAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { agent, folder, server, tool, decision, operation, since, until, before, limit } = filter
  const { text, ids = [] } = filter
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .$if(agent !== undefined, (query) => query.where('agent', '=', agent ?? ''))
    .$if(folder !== undefined, (query) =>
      query.where(sql<boolean>`strpos(line, ${`"folder":${JSON.stringify(folder)}`}) > 0`),
    )
    .$if(server !== undefined, (query) => query.where('server', '=', server ?? ''))
    .$if(tool !== undefined, (query) => query.where('tool', '=', tool ?? ''))
    .$if(decision !== undefined, (query) => query.where('decision', '=', decision ?? ''))
    .$if(operation !== undefined, (query) =>
      query.where(sql<boolean>`strpos(line, ${`"operation":${JSON.stringify(operation)}`}) > 0`),
    )
    .$if(text !== undefined, (query) =>
      query.where(
        sql<boolean>`(strpos(lower(line), lower(${text})) > 0
          or substring(line from '"metadata":{"call_id":"([^"]*)"') = any(${ids}::text[]))`,
      ),
    )
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('at', '<', until ?? 0))
    .$if(before !== undefined, (query) =>
      query
        // Implied by the next condition, but this form lets the database skip partitions.
        .where('at', '<=', before?.at ?? 0)
        .where(sql<boolean>`(at, id) < (${before?.at}, ${before?.id})`),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Creates partitions for today and the next days; other days use the default partition. */
export async function addAuditDays(db: Db, now: number): Promise<void> {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const from = today + ahead * DAY_MS
    if (await hasOther(db, from)) continue
    await sql`create table if not exists ${sql.table(partitionOf(from))}
      partition of ${sql.table('audit_entries')}
      for values from (${sql.lit(from)}) to (${sql.lit(from + DAY_MS)})`.execute(db)
  }
}

/** Whether the default partition has entries of a day (restored ones); the day then stays there. */
async function hasOther(db: Db, from: number): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table('audit_entries_other')}
    where at >= ${from} and at < ${from + DAY_MS} limit 1`.execute(db)
  return rows.length > 0
}

/** Drops the days that ended before `oldest` and deletes older entries in the default partition. */
export async function dropAuditDays(db: Db, oldest: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${qualified(db, 'audit_entries')}::regclass`.execute(db)
  const last = partitionOf(oldest - DAY_MS)
  const over = rows.filter(({ name }) => /_\d{8}$/.test(name) && name <= last)
  for (const { name } of over) await sql`drop table ${sql.table(name)}`.execute(db)
  await sql`delete from ${sql.table('audit_entries_other')} where at < ${oldest}`.execute(db)
}

/** Returns `audit_entries_20260131`; the names sort by day. */
function partitionOf(at: number): string {
  return `audit_entries_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`
}
