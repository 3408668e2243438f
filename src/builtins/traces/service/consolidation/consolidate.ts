import {
  claimPeriod,
  clusterIds,
  finishPeriod,
  lastRun,
} from '../../../../storage/traces/consolidation.ts'
import {
  coRetrieved,
  pruneRetrievals,
  replaceRelationships,
} from '../../../../storage/traces/relationships.ts'
import { countPassings, replaceShadows } from '../../../../storage/traces/passed-over.ts'
import { replaceTrends, tagCounts } from '../../../../storage/traces/tags.ts'
import { countTraces } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { maturityOf } from '../rules/maturity.ts'
import { ageTraces } from './age-traces.ts'
import { extractPattern } from './extract-pattern.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** A run that has not finished by then died with its process. */
const ABANDONED_MS = HOUR_MS
const MOST_LINKS = 10_000
/** From so many sessions, of more than one reader: nobody pushes a trace down alone. */
const SHADOW = { sessions: 3, readers: 2 }

export interface ConsolidationStats {
  /** The minute it begins, since the epoch: it grows with time, however long the owner makes a period. */
  readonly period: number
  readonly traces: number
  readonly links: number
  readonly trends: number
  readonly patterns: number
  readonly shadows: number
}

/**
 * The sleep cycle: ages trust, classifies temperature, links what is used together, finds trends and
 * patterns. Once per period over all processes; what it writes is set, not added, so a run that died
 * half-way is simply run again. Undefined when the period is done, or another process is at it.
 */
export async function consolidate(deps: Deps): Promise<ConsolidationStats | undefined> {
  const { storage, settings, now } = deps
  const at = now()
  const interval = settings.consolidationIntervalHours * HOUR_MS
  const last = await lastRun(storage.db)
  // A service that began just before the end of a period waits its time, too.
  if (last?.status === 'completed' && at - last.started_at < interval) return undefined
  const start = Math.floor(at / interval) * interval
  const period = Math.floor(start / MINUTE_MS)
  const claimed = await claimPeriod(storage.db, period, {
    now: at,
    abandonedBefore: at - ABANDONED_MS,
  })
  if (!claimed) return undefined
  const { tier, trustDecay } = maturityOf(
    await countTraces(storage.db),
    settings.validationThreshold,
  )
  const traces = await ageTraces(deps, { period, trustDecay, converges: tier !== 'SEED' })
  const stats = {
    period,
    traces,
    links: await linkUsedTogether(deps),
    trends: await findTrends(deps, start + interval),
    patterns: tier === 'SEED' ? 0 : await findPatterns(deps),
    shadows: await castShadows(deps),
  }
  await finishPeriod(storage.db, period, { stats, now: now() })
  return stats
}

/** Recounted from the last 30 days each time: nothing grows by being counted again. */
async function linkUsedTogether({ storage, now }: Deps): Promise<number> {
  const today = Math.floor(now() / DAY_MS)
  await pruneRetrievals(storage.db, today - 30)
  const links = await coRetrieved(storage.db, today - 30, MOST_LINKS)
  await storage.transaction(async (tx) => replaceRelationships(tx, 'CO_RETRIEVED', links))
  return links.length
}

/**
 * Retrieval-induced forgetting: what is passed over for the same other trace again and again stands
 * behind it from now on. Of two that beat each other, the one that did it more often.
 */
async function castShadows({ storage, now }: Deps): Promise<number> {
  const since = Math.floor(now() / DAY_MS) - 30
  const counted = await countPassings(storage.db, { sinceDay: since, ...SHADOW })
  const sessions = new Map(counted.map((pair) => [`${pair.winner_id} ${pair.loser_id}`, pair]))
  const shadows = counted.filter(
    ({ winner_id, loser_id, sessions: count }) =>
      count > (sessions.get(`${loser_id} ${winner_id}`)?.sessions ?? 0),
  )
  await storage.transaction(async (tx) => replaceShadows(tx, shadows, since))
  return shadows.length
}

async function findTrends({ storage }: Deps, end: number): Promise<number> {
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
