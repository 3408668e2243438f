import { sql } from 'kysely'
import type { Db } from '../storage.ts'

/** The counts of one name within one step of time; `counts` in the order of the columns. */
export interface UsageEntry {
  readonly span: string
  readonly at: number
  readonly kind: string
  readonly name: string
  readonly counts: readonly number[]
}

/** Adds counts to those that are stored; the rows must be different ones. */
export async function addUsage(
  db: Db,
  columns: readonly string[],
  rows: readonly UsageEntry[],
): Promise<void> {
  if (rows.length === 0) return
  const names = sql.join(columns.map((name) => sql.ref(name)))
  const arrays = columns.map(
    (_, n) => sql`${rows.map(({ counts }) => counts[n] ?? 0)}::double precision[]`,
  )
  const sums = columns.map(
    (name) => sql`${sql.ref(name)} = audit_usage.${sql.ref(name)} + excluded.${sql.ref(name)}`,
  )
  await sql`insert into ${sql.table('audit_usage')} as audit_usage (span, at, kind, name, ${names})
    select * from unnest(${rows.map(({ span }) => span)}::text[], ${rows.map(({ at }) => at)}::bigint[],
      ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ name }) => name)}::text[],
      ${sql.join(arrays)})
    on conflict (span, at, kind, name) do update set ${sql.join(sums)}`.execute(db)
}

/** Returns the sums of a span for each name, and besides those of each step for all calls. */
export async function readUsage(
  db: Db,
  columns: readonly string[],
  { span, from }: { readonly span: string; readonly from: number },
): Promise<UsageEntry[]> {
  const sums = sql.join(columns.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))
  // Only all calls and latencies are shown step by step.
  const { rows } = await sql<Record<string, string | number>>`
    select at, kind, name, ${sums} from (
      select case when kind in ('all', 'latency') then at else ${from}::bigint end as at,
        kind, name, ${sql.join(columns.map((name) => sql.ref(name)))}
      from ${sql.table('audit_usage')} where span = ${span} and at >= ${from}
    ) as rows group by at, kind, name`.execute(db)
  return rows.map((row) => ({
    span,
    at: Number(row['at']),
    kind: String(row['kind']),
    name: String(row['name']),
    counts: columns.map((name) => Number(row[name] ?? 0)),
  }))
}

/** The time of the oldest step of a span; undefined if there is none. */
export async function oldestUsage(db: Db, span: string): Promise<number | undefined> {
  const { rows } = await sql<{ at: string | number | null }>`
    select min(at) as at from ${sql.table('audit_usage')} where span = ${span}`.execute(db)
  const at = rows[0]?.at
  return at === null || at === undefined ? undefined : Number(at)
}

export async function dropUsage(db: Db, span: string, oldest: number): Promise<void> {
  await sql`delete from ${sql.table('audit_usage')} where span = ${span} and at < ${oldest}`.execute(
    db,
  )
}
