import type { Db } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'

/** Claims a period; false if it is finished or another process works on it. */
export async function claimPeriod(
  db: Db,
  period: number,
  times: { readonly now: number; readonly abandonedBefore: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('consolidation_runs')
    .values({ period, status: 'running', stats_json: '{}', started_at: times.now })
    .onConflict((conflict) =>
      conflict
        .column('period')
        .doUpdateSet({ started_at: times.now })
        .where('consolidation_runs.status', '=', 'running')
        .where('consolidation_runs.started_at', '<', times.abandonedBefore),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function finishPeriod(
  db: Db,
  period: number,
  result: { readonly stats: unknown; readonly now: number },
): Promise<void> {
  await db
    .updateTable('consolidation_runs')
    .set({
      status: 'completed',
      stats_json: JSON.stringify(result.stats),
      finished_at: result.now,
    })
    .where('period', '=', period)
    .execute()
}

export async function lastRun(
  db: Db,
): Promise<{ period: number; status: string; started_at: number } | undefined> {
  return db
    .selectFrom('consolidation_runs')
    .select(['period', 'status', 'started_at'])
    .orderBy('period', 'desc')
    .executeTakeFirst()
}

/** Returns rows that this period has not aged yet; aging marks them, so a second run finds none. */
export async function unconsolidated(db: Db, period: number, limit: number): Promise<TraceRow[]> {
  return db
    .selectFrom('traces')
    .selectAll()
    .where('consolidated_period', '<', period)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns the traces of a convergence cluster, most trusted first. */
export async function clusterMembers(db: Db, cluster: string): Promise<TraceRow[]> {
  return db
    .selectFrom('traces')
    .selectAll()
    .where('convergence_cluster_id', '=', cluster)
    .orderBy('trust_score', 'desc')
    .execute()
}

export async function clusterIds(db: Db, atLeast: number): Promise<string[]> {
  const rows = await db
    .selectFrom('traces')
    .select('convergence_cluster_id')
    .where('convergence_cluster_id', 'is not', null)
    .where('trace_type', '=', 'episodic')
    .groupBy('convergence_cluster_id')
    .having((eb) => eb(eb.fn.countAll(), '>=', atLeast))
    .execute()
  return rows.flatMap(({ convergence_cluster_id }) => convergence_cluster_id ?? [])
}
