import { sql } from 'kysely'
import type { Db } from '../storage.ts'

type Row = Record<string, unknown>

/** Read-only aggregates for the owner of a service; none contains the query of an agent. */

export async function totals(db: Db, now: number): Promise<Row> {
  const day = 86_400_000
  const { rows } = await sql<Row>`select
    (select count(*) from ${sql.table('accounts')}) as users,
    (select count(*) from ${sql.table('accounts')} where last_seen_at >= ${now - day}) as daily_active,
    (select count(*) from ${sql.table('accounts')} where last_seen_at >= ${now - 7 * day}) as weekly_active,
    (select count(*) from ${sql.table('accounts')} where last_seen_at >= ${now - 30 * day}) as monthly_active,
    (select count(*) from ${sql.table('traces')}) as traces,
    (select count(*) from ${sql.table('traces')} where status = 'validated') as validated_traces,
    (select count(*) from ${sql.table('votes')}) as votes,
    (select count(*) from ${sql.table('amendments')}) as amendments,
    (select coalesce(sum(value), 0) from ${sql.table('daily_counts')} where name = 'searches') as searches,
    (select count(*) from ${sql.table('search_misses')}) as search_misses`.execute(db)
  return rows[0] ?? {}
}

export async function timeline(db: Db, table: 'accounts' | 'traces' | 'votes', since: number) {
  const { rows } = await sql<{ day: number; count: number }>`
    select created_at / 86400000 as day, count(*) as count from ${sql.table(table)}
    where created_at >= ${since} group by 1 order by 1`.execute(db)
  return rows
}

export async function topTags(db: Db, limit: number): Promise<Row[]> {
  const { rows } =
    await sql<Row>`select tag, count(*) as trace_count from ${sql.table('trace_tags')}
    group by tag order by trace_count desc, tag limit ${limit}`.execute(db)
  return rows
}

export async function topTraces(db: Db, limit: number): Promise<Row[]> {
  const { rows } =
    await sql<Row>`select id, title, retrieval_count, trust_score from ${sql.table('traces')}
    order by retrieval_count desc, trust_score desc limit ${limit}`.execute(db)
  return rows
}

export async function topContributors(db: Db, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`select a.id, a.display_name, a.reputation_score,
      count(t.id) as trace_count
    from ${sql.table('accounts')} a join ${sql.table('traces')} t on t.contributor_id = a.id
    group by a.id, a.display_name, a.reputation_score
    order by trace_count desc, a.reputation_score desc limit ${limit}`.execute(db)
  return rows
}

export async function accountsBy(
  db: Db,
  column: 'country_code' | 'platform' | 'skill_version',
): Promise<Row[]> {
  const { rows } = await sql<Row>`select coalesce(${sql.ref(column)}, 'unknown') as name,
    count(*) as count from ${sql.table('accounts')} group by 1 order by count desc, name`.execute(
    db,
  )
  return rows
}

/** Returns the activity per tag since a time. */
export async function topics(db: Db, since: number, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`select g.tag,
      count(distinct t.id) as new_traces, count(distinct v.id) as votes,
      count(distinct r.trace_id) as used_traces
    from ${sql.table('trace_tags')} g
    left join ${sql.table('traces')} t on t.id = g.trace_id and t.created_at >= ${since}
    left join ${sql.table('votes')} v on v.trace_id = g.trace_id and v.created_at >= ${since}
    left join ${sql.table('retrievals')} r on r.trace_id = g.trace_id and r.at >= ${since}
    group by g.tag having count(t.id) + count(v.id) + count(r.trace_id) > 0
    order by new_traces desc, votes desc, g.tag limit ${limit}`.execute(db)
  return rows
}

export async function triggerReports(db: Db, since: number): Promise<{ stats_json: string }[]> {
  return db
    .selectFrom('trigger_reports')
    .select('stats_json')
    .where('created_at', '>=', since)
    .execute()
}

export async function assistedResolution(db: Db, since: number): Promise<Row> {
  const { rows } = await sql<Row>`select
    coalesce(sum(searches_fired), 0) as searches_fired,
    coalesce(sum(traces_consumed), 0) as traces_consumed,
    coalesce(sum(resolutions_total), 0) as resolutions_total,
    coalesce(sum(resolutions_assisted), 0) as resolutions_assisted
    from ${sql.table('trigger_reports')} where created_at >= ${since}`.execute(db)
  return rows[0] ?? {}
}

/** Returns the recorded effort and the number of uses of an account's traces. */
export async function outboundImpact(
  db: Db,
  accountId: string,
): Promise<{ metadata_json: string; retrieval_count: number }[]> {
  return db
    .selectFrom('traces')
    .select(['metadata_json', 'retrieval_count'])
    .where('contributor_id', '=', accountId)
    .where('retrieval_count', '>', 0)
    .execute()
}

const RECENT = {
  votes: ['id', 'trace_id', 'voter_id', 'vote_type', 'feedback_tag', 'created_at'],
  trigger_reports: ['session_id', 'account_id', 'searches_fired', 'traces_consumed', 'created_at'],
  traces: ['id', 'title', 'status', 'trust_score', 'contributor_id', 'created_at'],
} as const

/** Returns the latest rows of a table, newest first. */
export async function recent(db: Db, table: keyof typeof RECENT, limit: number): Promise<Row[]> {
  const columns = sql.join(RECENT[table].map((name) => sql.ref(name)))
  const { rows } = await sql<Row>`select ${columns} from ${sql.table(table)}
    order by created_at desc limit ${limit}`.execute(db)
  return rows
}

/** Counts the accounts that reached each step, from registration to a validated trace. */
export async function funnel(db: Db): Promise<Row> {
  const { rows } = await sql<Row>`select
    (select count(*) from ${sql.table('accounts')}) as registered,
    (select count(*) from ${sql.table('accounts')} where last_seen_at is not null) as seen,
    (select count(distinct account_id) from ${sql.table('retrievals')}) as used_a_trace,
    (select count(distinct contributor_id) from ${sql.table('traces')}) as contributed,
    (select count(distinct contributor_id) from ${sql.table('traces')} where status = 'validated') as validated`.execute(
    db,
  )
  return rows[0] ?? {}
}
