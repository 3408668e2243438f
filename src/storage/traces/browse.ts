import type { Db } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'

export interface BrowseFilter {
  readonly status?: 'pending' | 'validated' | undefined
  readonly tag?: string | undefined
}

export interface BrowsePage extends BrowseFilter {
  readonly limit: number
  readonly offset: number
}

/** Returns visible traces, newest first. */
export async function browseTraces(db: Db, page: BrowsePage): Promise<TraceRow[]> {
  return visible(db, page)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countBrowsed(db: Db, filter: BrowseFilter): Promise<number> {
  const row = await visible(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return row.n
}

function visible(db: Db, { status, tag }: BrowseFilter) {
  return db
    .selectFrom('traces')
    .where('is_flagged', '=', 0)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'pending'))
    .$if(tag !== undefined, (query) =>
      query.where('id', 'in', (eb) =>
        eb
          .selectFrom('trace_tags')
          .select('trace_id')
          .where('tag', '=', tag ?? ''),
      ),
    )
}
