import { unconsolidated } from '../../../../storage/traces/consolidation.ts'
import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { lockTraces, updateTrace } from '../../../../storage/traces/trace-rows.ts'
import type { CommunityDeps } from '../deps.ts'
import { isOutdated } from '../check-staleness.ts'
import { converge } from './converge.ts'
import type { Temperature } from '../../service/rules/rank-score.ts'

const BATCH = 200
const DISTRUSTED = -2

export interface AgingOptions {
  readonly period: number
  readonly trustDecay: number
  /** Whether there are enough traces for several to be about the same problem. */
  readonly converges: boolean
}

/** Ages trust, temperature and staleness of all traces once per period; returns their number. */
export async function ageTraces(deps: CommunityDeps, aging: AgingOptions): Promise<number> {
  const { storage } = deps
  let count = 0
  await deps.index.sync()
  for (;;) {
    const rows = await unconsolidated(storage.db, aging.period, BATCH)
    if (rows.length === 0) return count
    const clusters = aging.converges ? await converge(deps, rows) : new Map<string, object>()
    const outdated = await outdatedOf(deps, rows)
    const ids = rows.map(({ id }) => id)
    // Short transactions, so that other writers hardly wait. The rows are read again under the
    // lock, so that a vote cast meanwhile is not lost.
    await storage.transaction(async (tx) => {
      for (const row of await lockTraces(tx, storage.engine, ids))
        await updateTrace(tx, row.id, {
          ...aged(deps, row, aging.trustDecay),
          ...(outdated.has(row.id) && { is_stale: 1 }),
          ...clusters.get(row.id),
          consolidated_period: aging.period,
        })
    })
    count += rows.length
  }
}

async function outdatedOf(deps: CommunityDeps, rows: readonly TraceRow[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const row of rows) if (!row.is_stale && (await isOutdated(deps, row))) found.add(row.id)
  return found
}

function aged({ settings, now }: CommunityDeps, row: TraceRow, trustDecay: number) {
  const at = now()
  const trust_score = row.trust_score * trustDecay
  const overdue = row.review_after !== null && row.review_after <= at
  const temperature = overdue
    ? ('FROZEN' as const)
    : temperatureOf(
        {
          trustScore: trust_score,
          retrievalCount: row.retrieval_count,
          lastRetrievedAt: row.last_retrieved_at,
          createdAt: row.created_at,
          staleAgeDays: settings.consolidationStaleAgeDays,
        },
        at,
      )
  const distrusted = trust_score < DISTRUSTED
  return {
    trust_score,
    memory_temperature: temperature,
    is_stale: temperature === 'FROZEN' ? 1 : row.is_stale,
    is_flagged: distrusted ? 1 : row.is_flagged,
    flagged_at: distrusted && row.flagged_at === null ? at : row.flagged_at,
  }
}

const DAY_MS = 86_400_000

interface Usage {
  readonly trustScore: number
  readonly retrievalCount: number
  readonly lastRetrievedAt: number | null
  readonly createdAt: number
  /** How long a distrusted trace must be left alone before it freezes. */
  readonly staleAgeDays: number
}

/** Classifies a trace by how often and how recently it was used, its age and its trust. */
export function temperatureOf(usage: Usage, now: number): Temperature {
  const age = days(now - usage.createdAt)
  const idle = usage.lastRetrievedAt === null ? Infinity : days(now - usage.lastRetrievedAt)
  if (usage.trustScore < -1 && idle >= usage.staleAgeDays) return 'FROZEN'
  if (usage.trustScore < 0) return 'COLD'
  if (usage.lastRetrievedAt === null) return youth(age)
  if (idle > 90) return 'COLD'
  if (usage.retrievalCount / Math.max(1, age) > 0.1 || idle <= 7) return 'HOT'
  return idle <= 30 ? 'WARM' : 'COOL'
}

function youth(age: number): Temperature {
  if (age > 90) return 'COLD'
  return age <= 30 ? 'WARM' : 'COOL'
}

function days(ms: number): number {
  return ms / DAY_MS
}
