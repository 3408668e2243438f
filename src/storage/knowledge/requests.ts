import type { Db } from '../storage.ts'
import type { RequestRow } from '../tables/knowledge-tables.ts'

export async function insertRequest(db: Db, request: RequestRow): Promise<void> {
  await db.insertInto('knowledge_requests').values(request).execute()
}

/** Settles the pending requests for a page after it was acquired or failed. */
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
