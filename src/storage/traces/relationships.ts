import { sql } from 'kysely'
import type { Db } from '../storage.ts'
import type { RelationshipTable } from '../tables/trace-tables.ts'

export type RelationshipType =
  | 'SUPERSEDES'
  | 'CO_RETRIEVED'
  | 'ALTERNATIVE_TO'
  | 'CONTRADICTS'
  | 'PATTERN_SOURCE'

export type Relationship = Readonly<RelationshipTable>

/** Sets the strength instead of adding to it, so that saving twice changes nothing. */
export async function saveRelationships(
  db: Db,
  relationships: readonly (Relationship & { readonly type: RelationshipType })[],
): Promise<void> {
  for (let start = 0; start < relationships.length; start += 500)
    await db
      .insertInto('relationships')
      .values(relationships.slice(start, start + 500))
      .onConflict((conflict) =>
        conflict
          .columns(['source_id', 'target_id', 'type'])
          .doUpdateSet((eb) => ({ strength: eb.ref('excluded.strength') })),
      )
      .execute()
}

/** Replaces all links of a type; links that are not given are deleted. */
export async function replaceRelationships(
  db: Db,
  type: RelationshipType,
  links: readonly Omit<Relationship, 'type'>[],
): Promise<void> {
  await db.deleteFrom('relationships').where('type', '=', type).execute()
  await saveRelationships(
    db,
    links.map((link) => ({ ...link, type })),
  )
}

/** Saves links as alternatives or contradictions, replacing the other type. */
export async function saveAlternatives(
  db: Db,
  links: readonly (Relationship & { readonly type: 'ALTERNATIVE_TO' | 'CONTRADICTS' })[],
): Promise<void> {
  for (const { source_id, target_id, type } of links)
    await db
      .deleteFrom('relationships')
      .where('source_id', '=', source_id)
      .where('target_id', '=', target_id)
      .where('type', '=', type === 'CONTRADICTS' ? 'ALTERNATIVE_TO' : 'CONTRADICTS')
      .execute()
  await saveRelationships(db, links)
}

/** Records that an account opened a trace; false if it already did on that day. */
export async function insertRetrieval(
  db: Db,
  retrieval: { trace_id: string; account_id: string; day: number; at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('retrievals')
    .values(retrieval)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Returns pairs of traces that an account opened on the same day, and how often that happened. */
export async function coRetrieved(
  db: Db,
  sinceDay: number,
  limit: number,
): Promise<{ source_id: string; target_id: string; strength: number }[]> {
  const { rows } = await sql<{ source_id: string; target_id: string; strength: number }>`
    select one.trace_id as source_id, two.trace_id as target_id, count(*) as strength
    from ${sql.table('retrievals')} one join ${sql.table('retrievals')} two
      on one.account_id = two.account_id and one.day = two.day and one.trace_id <> two.trace_id
    where one.day >= ${sinceDay}
    group by one.trace_id, two.trace_id
    order by strength desc limit ${limit}`.execute(db)
  return rows
}

export async function pruneRetrievals(db: Db, beforeDay: number): Promise<void> {
  await db.deleteFrom('retrievals').where('day', '<', beforeDay).execute()
}
