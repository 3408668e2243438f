import { type Fingerprint, alignment } from './context-fingerprint.ts'
import type { Impact } from './score-contribution.ts'

const DAY_MS = 86_400_000

/** The most that factors other than relevance change a score; 35 % more relevance always wins. */
const SWING = 0.15

export type Temperature = 'HOT' | 'WARM' | 'COOL' | 'COLD' | 'FROZEN'

export interface RankedTrace {
  readonly trust_score: number
  readonly depth_score: number
  readonly status: 'pending' | 'validated'
  readonly half_life_days: number
  readonly created_at: number
  readonly last_retrieved_at: number | null
  readonly valid_until: number | null
  readonly is_stale: number
  readonly convergence_level: number | null
  readonly memory_temperature: Temperature
  readonly somatic_intensity: number
  readonly impact_level: Impact
}

export interface RankContext {
  readonly now: number
  readonly wanted: Fingerprint
  readonly trace: Fingerprint
}

const TEMPERATURE: Record<Temperature, number> = {
  HOT: 1,
  WARM: 0.75,
  COOL: 0.5,
  COLD: 0.2,
  FROZEN: 0,
}
const IMPACT: Record<Impact, number> = { critical: 1, high: 0.7, normal: 0.4, low: 0 }
const DECAY_FLOOR: Record<Impact, number> = { critical: 0.7, high: 0.5, normal: 0.3, low: 0.3 }

/** Returns a score, 0..1. Relevance decides; trust, freshness, fit etc. change it within limits. */
export function rankScore(relevance: number, trace: RankedTrace, context: RankContext): number {
  const boosted = relevance * (1 + SWING * (2 * merit(trace, context) - 1))
  return Math.min(1, boosted * (isExpired(trace, context.now) ? 0.5 : 1))
}

/** Rates a trace among equally relevant ones, 0..1. */
function merit(trace: RankedTrace, context: RankContext): number {
  const parts: readonly (readonly [weight: number, value: number])[] = [
    [0.3, trust(trace)],
    [0.15, alignment(context.wanted, context.trace)],
    [0.15, decay(trace, context.now)],
    [0.1, TEMPERATURE[trace.memory_temperature]],
    [0.1, trace.depth_score / 4],
    [0.08, IMPACT[trace.impact_level]],
    [0.07, trace.somatic_intensity],
    [0.05, trace.convergence_level === null ? 0 : (4 - trace.convergence_level) / 4],
  ]
  return parts.reduce((sum, [weight, value]) => sum + weight * value, 0)
}

/** Returns 1 for a new or just used trace, halved per half-life, with a floor by impact. */
function decay(trace: RankedTrace, now: number): number {
  const age = (now - (trace.last_retrieved_at ?? trace.created_at)) / DAY_MS
  return Math.max(DECAY_FLOOR[trace.impact_level], 2 ** (-Math.max(0, age) / trace.half_life_days))
}

export function isExpired(trace: Pick<RankedTrace, 'valid_until'>, now: number): boolean {
  return trace.valid_until !== null && trace.valid_until <= now
}

/** Returns a base for the status, plus a part that levels off as the trust score grows. */
function trust({ trust_score, status, is_stale }: RankedTrace): number {
  const earned = Math.max(-1, Math.min(1, Math.tanh(trust_score)))
  const base = (status === 'validated' ? 0.5 : 0.25) + earned / 2
  return Math.max(0, Math.min(1, base)) * (is_stale ? 0.5 : 1)
}
