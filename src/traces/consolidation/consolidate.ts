import {
  claimPeriod,
  clusterIds,
  finishPeriod,
  unconsolidated,
} from '../../storage/traces/consolidation.ts'
import {
  coRetrieved,
  pruneRetrievals,
  saveRelationships,
} from '../../storage/traces/relationships.ts'
import type { TraceRow } from '../../storage/tables/trace-tables.ts'
import { replaceTrends, tagCounts } from '../../storage/traces/tags.ts'
import { countTraces, updateTrace } from '../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { maturityOf } from '../rules/maturity.ts'
import { temperatureOf } from '../rules/temperature.ts'
import { converge } from './converge.ts'
import { extractPattern } from './extract-pattern.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BATCH = 200
/** A run that has not finished by then died with its process. */
const ABANDONED_MS = HOUR_MS
const MOST_LINKS = 10_000
const DISTRUSTED = -2

export interface ConsolidationStats {
  readonly period: number
  readonly traces: number
  readonly links: number
  readonly trends: number
  readonly patterns: number
}

/**
 * The sleep cycle: ages trust, classifies temperature, links what is used together, finds trends and
 * patterns. Once per period over all processes; what it writes is set, not added, so a run that died
 * half-way is simply run again. Undefined when the period is done, or another process is at it.
 */
export async function consolidate(deps: Deps): Promise<ConsolidationStats | undefined> {
  const { storage, settings, now } = deps
  const at = now()
  const period = Math.floor(at / (settings.consolidationIntervalHours * HOUR_MS))
  const claimed = await claimPeriod(storage.db, period, {
    now: at,
    abandonedBefore: at - ABANDONED_MS,
  })
  if (!claimed) return undefined
  const { tier, trustDecay } = maturityOf(
    await countTraces(storage.db),
    settings.validationThreshold,
  )
  const traces = await ageTraces(deps, period, { trustDecay, converges: tier !== 'SEED' })
  const stats = {
    period,
    traces,
    links: await linkUsedTogether(deps),
    trends: await findTrends(deps, period),
    patterns: tier === 'SEED' ? 0 : await findPatterns(deps),
  }
  await finishPeriod(storage.db, period, { stats, now: now() })
  return stats
}

async function ageTraces(
  deps: Deps,
  period: number,
  options: { readonly trustDecay: number; readonly converges: boolean },
): Promise<number> {
  let count = 0
  await deps.index.sync()
  for (;;) {
    const rows = await unconsolidated(deps.storage.db, period, BATCH)
    if (rows.length === 0) return count
    const clusters = options.converges ? await converge(deps, rows) : new Map<string, object>()
    // Short transactions, so that people who write meanwhile hardly wait.
    await deps.storage.transaction(async (tx) => {
      for (const row of rows)
        await updateTrace(tx, row.id, {
          ...aged(row, options.trustDecay, deps.now()),
          ...clusters.get(row.id),
          consolidated_period: period,
        })
    })
    count += rows.length
  }
}

function aged(row: TraceRow, trustDecay: number, now: number) {
  const trust_score = row.trust_score * trustDecay
  const overdue = row.review_after !== null && row.review_after <= now
  const temperature = overdue
    ? ('FROZEN' as const)
    : temperatureOf(
        {
          trustScore: trust_score,
          retrievalCount: row.retrieval_count,
          lastRetrievedAt: row.last_retrieved_at,
          createdAt: row.created_at,
        },
        now,
      )
  const distrusted = trust_score < DISTRUSTED
  return {
    trust_score,
    memory_temperature: temperature,
    is_stale: temperature === 'FROZEN' ? 1 : row.is_stale,
    is_flagged: distrusted ? 1 : row.is_flagged,
    flagged_at: distrusted && row.flagged_at === null ? now : row.flagged_at,
  }
}

/** Counted anew from the last 30 days each time: nothing grows by being counted again. */
async function linkUsedTogether({ storage, now }: Deps): Promise<number> {
  const today = Math.floor(now() / DAY_MS)
  await pruneRetrievals(storage.db, today - 30)
  const links = await coRetrieved(storage.db, today - 30, MOST_LINKS)
  await saveRelationships(
    storage.db,
    links.map((link) => ({ ...link, type: 'CO_RETRIEVED' as const })),
  )
  return links.length
}

async function findTrends({ storage, settings }: Deps, period: number): Promise<number> {
  const end = (period + 1) * settings.consolidationIntervalHours * HOUR_MS
  const week = 7 * DAY_MS
  const recent = await tagCounts(storage.db, end - week, end)
  const prior = await tagCounts(storage.db, end - 2 * week, end - week)
  const trends = [...recent].flatMap(([tag, trace_count]) => {
    const prior_count = prior.get(tag) ?? 0
    const growth_rate = trace_count / Math.max(1, prior_count)
    return growth_rate > 2 && trace_count >= 3
      ? [{ tag, period_end: end, growth_rate, trace_count, prior_count }]
      : []
  })
  await storage.transaction(async (tx) => replaceTrends(tx, end, trends))
  return trends.length
}

async function findPatterns(deps: Deps): Promise<number> {
  let made = 0
  for (const cluster of await clusterIds(deps.storage.db, 3))
    if (await extractPattern(deps, cluster)) made += 1
  return made
}
