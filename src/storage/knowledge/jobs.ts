import type { Updateable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { JobRow } from '../tables/knowledge-tables.ts'

export async function insertJob(db: Db, job: JobRow): Promise<void> {
  await db.insertInto('knowledge_jobs').values(job).execute()
}

export async function findJob(db: Db, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('knowledge_jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function listJobs(db: Db, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('knowledge_jobs')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export async function updateJob(
  db: Db,
  id: string,
  change: Updateable<Database['knowledge_jobs']>,
): Promise<void> {
  await db.updateTable('knowledge_jobs').set(change).where('id', '=', id).execute()
}

/** Takes the oldest job that waits, or whose worker fell silent; one process gets it. */
export async function claimJob(
  db: Db,
  owner: string,
  now: number,
  leaseMs: number,
): Promise<JobRow | undefined> {
  const next = await db
    .selectFrom('knowledge_jobs')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('status', '=', 'queued'),
        eb.and([eb('status', '=', 'running'), eb('lease_until', '<', now)]),
      ]),
    )
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  if (!next) return undefined
  const claimed = { status: 'running', owner, lease_until: now + leaseMs, updated_at: now } as const
  const { numUpdatedRows } = await db
    .updateTable('knowledge_jobs')
    .set(claimed)
    .where('id', '=', next.id)
    .where('status', '=', next.status)
    .where('lease_until', '=', next.lease_until)
    .executeTakeFirst()
  return numUpdatedRows > 0n ? { ...next, ...claimed } : undefined
}
