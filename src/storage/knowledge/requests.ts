import type { Insertable } from 'kysely'
import type { Database } from '../database.ts'
import type { Db } from '../storage.ts'
import type { RequestRow } from '../tables/knowledge-tables.ts'

export async function insertRequest(db: Db, request: RequestRow): Promise<void> {
  await db.insertInto('knowledge_requests').values(request).execute()
}

/** A request is settled once its page has been acquired, or could not be. */
export async function settleRequests(
  db: Db,
  url: string,
  status: 'done' | 'failed',
  at: number,
): Promise<void> {
  await db
    .updateTable('knowledge_requests')
    .set({ status, processed_at: at })
    .where('url', '=', url)
    .where('status', '=', 'pending')
    .execute()
}

export async function listRequests(db: Db, limit: number): Promise<RequestRow[]> {
  return db
    .selectFrom('knowledge_requests')
    .selectAll()
    .orderBy('priority')
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export async function recordQuery(
  db: Db,
  query: Insertable<Database['knowledge_queries']>,
): Promise<void> {
  await db.insertInto('knowledge_queries').values(query).execute()
}

export async function queriesOfProject(
  db: Db,
  projectId: string,
): Promise<{ query: string; workflow: string; result_count: number }[]> {
  return db
    .selectFrom('knowledge_queries')
    .select(['query', 'workflow', 'result_count'])
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .execute()
}
