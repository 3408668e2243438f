import type { ExpressionBuilder, Updateable } from 'kysely'
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

/** Returns jobs without a worker: queued jobs, and running jobs whose lease has expired. */
export async function unattendedJobs(
  db: Db,
  now: number,
): Promise<Pick<JobRow, 'id' | 'targets_json'>[]> {
  return db
    .selectFrom('knowledge_jobs')
    .select(['id', 'targets_json'])
    .where(unattended(now))
    .orderBy('created_at')
    .execute()
}

/** Claims a job without a worker; only one of the processes that try succeeds. */
export async function claimJob(
  db: Db,
  id: string,
  { owner, now, leaseMs }: { owner: string; now: number; leaseMs: number },
): Promise<JobRow | undefined> {
  const next = await db
    .selectFrom('knowledge_jobs')
    .selectAll()
    .where('id', '=', id)
    .where(unattended(now))
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

function unattended(now: number) {
  return (eb: ExpressionBuilder<Database, 'knowledge_jobs'>) =>
    eb.or([
      eb('status', '=', 'queued'),
      eb.and([eb('status', '=', 'running'), eb('lease_until', '<', now)]),
    ])
}
