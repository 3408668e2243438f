import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'

/** Fails as a duplicate when this account has voted on this trace before. */
export async function insertVote(db: Db, vote: Insertable<Database['votes']>): Promise<void> {
  await db.insertInto('votes').values(vote).execute()
}

/** Returns an account's Wilson scores in the given tags. */
export async function domainScores(
  db: Db,
  accountId: string,
  tags: readonly string[],
): Promise<number[]> {
  if (tags.length === 0) return []
  const rows = await db
    .selectFrom('domain_reputation')
    .select('wilson_score')
    .where('contributor_id', '=', accountId)
    .where('tag', 'in', tags)
    .execute()
  return rows.map(({ wilson_score }) => wilson_score)
}

export interface DomainReputation {
  readonly tag: string
  readonly upvote_count: number
  readonly downvote_count: number
  readonly wilson_score: number
}

export async function reputationOf(db: Db, accountId: string): Promise<DomainReputation[]> {
  return db
    .selectFrom('domain_reputation')
    .select(['tag', 'upvote_count', 'downvote_count', 'wilson_score'])
    .where('contributor_id', '=', accountId)
    .orderBy('wilson_score', 'desc')
    .orderBy('tag')
    .execute()
}

/** Counts the votes for an account's traces per tag. */
export async function countDomainVotes(
  db: Db,
  accountId: string,
): Promise<{ tag: string; up: number; down: number }[]> {
  return db
    .selectFrom('votes')
    .innerJoin('traces', 'traces.id', 'votes.trace_id')
    .innerJoin('trace_tags', 'trace_tags.trace_id', 'traces.id')
    .select((eb) => [
      'trace_tags.tag as tag',
      eb.fn.sum<number>(eb.case().when('vote_type', '=', 'up').then(1).else(0).end()).as('up'),
      eb.fn.sum<number>(eb.case().when('vote_type', '=', 'down').then(1).else(0).end()).as('down'),
    ])
    .where('traces.contributor_id', '=', accountId)
    .groupBy('trace_tags.tag')
    .execute()
}

/** Counts the votes for all traces of an account, tagged or not. */
export async function countVotesFor(
  db: Db,
  accountId: string,
): Promise<{ up: number; down: number }> {
  const row = await db
    .selectFrom('votes')
    .innerJoin('traces', 'traces.id', 'votes.trace_id')
    .select((eb) => [
      eb.fn.sum<number>(eb.case().when('vote_type', '=', 'up').then(1).else(0).end()).as('up'),
      eb.fn.sum<number>(eb.case().when('vote_type', '=', 'down').then(1).else(0).end()).as('down'),
    ])
    .where('traces.contributor_id', '=', accountId)
    .executeTakeFirst()
  return { up: row?.up ?? 0, down: row?.down ?? 0 }
}

export async function saveDomainReputation(
  db: Db,
  accountId: string,
  domains: readonly DomainReputation[],
): Promise<void> {
  await db.deleteFrom('domain_reputation').where('contributor_id', '=', accountId).execute()
  if (domains.length > 0)
    await db
      .insertInto('domain_reputation')
      .values(domains.map((domain) => ({ contributor_id: accountId, ...domain })))
      .execute()
}
