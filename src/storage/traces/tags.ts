import type { Db } from '../storage.ts'
import type { TagTrendTable } from '../tables/trace-tables.ts'

export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return found
  const rows = await db
    .selectFrom('trace_tags')
    .selectAll()
    .where('trace_id', 'in', ids)
    .orderBy('tag')
    .execute()
  for (const { trace_id, tag } of rows) found.get(trace_id)?.push(tag)
  return found
}

/** Returns the tags of visible traces; those of hidden traces only are left out. */
export async function tagNames(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('trace_tags')
    .innerJoin('traces', 'traces.id', 'trace_tags.trace_id')
    .select('tag')
    .distinct()
    .where('is_flagged', '=', 0)
    .orderBy('tag')
    .execute()
  return rows.map(({ tag }) => tag)
}

/** Returns traces with all of the tags (which must be distinct), most trusted first. */
export async function tracesWithTags(
  db: Db,
  tags: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('trace_tags')
    .innerJoin('traces', 'traces.id', 'trace_tags.trace_id')
    .select(['traces.id', 'traces.trust_score', 'traces.created_at'])
    .where('tag', 'in', tags)
    .where('is_flagged', '=', 0)
    .groupBy(['traces.id', 'traces.trust_score', 'traces.created_at'])
    .having((eb) => eb(eb.fn.countAll(), '=', tags.length))
    .orderBy('traces.trust_score', 'desc')
    .orderBy('traces.created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Counts the new traces per tag in a time window; a trend compares two windows. */
export async function tagCounts(db: Db, from: number, to: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('trace_tags')
    .innerJoin('traces', 'traces.id', 'trace_tags.trace_id')
    .select((eb) => ['tag', eb.fn.countAll<number>().as('n')])
    .where('traces.created_at', '>=', from)
    .where('traces.created_at', '<', to)
    .groupBy('tag')
    .execute()
  return new Map(rows.map(({ tag, n }) => [tag, n]))
}

/** Replaces the trends of a period, so that computing them twice changes nothing. */
export async function replaceTrends(
  db: Db,
  periodEnd: number,
  trends: readonly TagTrendTable[],
): Promise<void> {
  await db.deleteFrom('tag_trends').where('period_end', '=', periodEnd).execute()
  if (trends.length > 0) await db.insertInto('tag_trends').values(trends).execute()
}

/** Returns the trends of the latest period, fastest growing first. */
export async function latestTrends(db: Db, limit: number): Promise<TagTrendTable[]> {
  return db
    .selectFrom('tag_trends')
    .selectAll()
    .where('period_end', '=', (eb) =>
      eb.selectFrom('tag_trends').select((inner) => inner.fn.max('period_end').as('latest')),
    )
    .orderBy('growth_rate', 'desc')
    .limit(limit)
    .execute()
}
