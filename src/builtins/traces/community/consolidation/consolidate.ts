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
import { countPassedOver, replacePreferences } from '../../../../storage/traces/passed-over.ts'
import { replaceTrends, tagCounts } from '../../../../storage/traces/tags.ts'
import { countTraces } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../../service/deps.ts'
import type { CommunityDeps } from '../deps.ts'
import { maturityOf } from '../../service/rules/maturity.ts'
import { ageTraces } from './age-traces.ts'
import { extractPattern } from './extract-pattern.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** After this time, an unfinished run counts as abandoned by a process that ended. */
const ABANDONED_MS = HOUR_MS
const MAX_LINKS = 10_000
/** The least sessions and readers, so that no single reader can push a trace down. */
const MIN_PREFERENCE = { sessions: 3, readers: 2 }

export interface ConsolidationStats {
  /** Its first minute since the epoch, so that it grows even if the owner changes the interval. */
  readonly period: number
  readonly traces: number
  readonly links: number
  readonly trends: number
  readonly patterns: number
  readonly preferences: number
}

/**
 * Ages trust, classifies temperature, links traces that are used together, and finds trends and
 * patterns. Runs once per period across all processes. It sets values instead of adding to them, so
 * an interrupted run is simply repeated. Returns undefined if the period is done or claimed.
 */
export async function consolidate(deps: CommunityDeps): Promise<ConsolidationStats | undefined> {
  const { storage, settings, now } = deps
  const at = now()
  const interval = settings.consolidationIntervalHours * HOUR_MS
  const last = await lastRun(storage.db)
  // Two runs are at least an interval apart, also if the last one was late in its period.
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
    preferences: await findPreferences(deps),
  }
  await finishPeriod(storage.db, period, { stats, now: now() })
  return stats
}

/** Links traces retrieved together; recounted from the last 30 days each time. */
async function linkUsedTogether({ storage, now }: Deps): Promise<number> {
  const today = Math.floor(now() / DAY_MS)
  await pruneRetrievals(storage.db, today - 30)
  const links = await coRetrieved(storage.db, today - 30, MAX_LINKS)
  await storage.transaction(async (tx) => replaceRelationships(tx, 'CO_RETRIEVED', links))
  return links.length
}

/**
 * Ranks a trace behind another one that readers repeatedly chose instead of it. If each of the two was chosen over the other, the one chosen more often wins.
 */
async function findPreferences({ storage, now }: Deps): Promise<number> {
  const since = Math.floor(now() / DAY_MS) - 30
  const counted = await countPassedOver(storage.db, { sinceDay: since, ...MIN_PREFERENCE })
  const sessions = new Map(counted.map((pair) => [`${pair.winner_id} ${pair.loser_id}`, pair]))
  const preferences = counted.filter(
    ({ winner_id, loser_id, sessions: count }) =>
      count > (sessions.get(`${loser_id} ${winner_id}`)?.sessions ?? 0),
  )
  await storage.transaction(async (tx) => replacePreferences(tx, preferences, since))
  return preferences.length
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
