import type { Series } from '../../../src/dashboard/contract/overview.ts'

export type Span = '5m' | '1h' | '24h'

/** The points of the charts: fewer and wider than the recorded ones. */
export interface Buckets {
  readonly fromMs: number
  readonly stepMs: number
  /** How many buckets the span holds; more than there are if the gateway has run for less time. */
  readonly room: number
  readonly answered: readonly number[]
  readonly denied: readonly number[]
  readonly errors: readonly number[]
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
  readonly hitRate: readonly (number | null)[]
  readonly discovery: readonly number[]
  readonly budgets: readonly number[]
  readonly cache: readonly number[]
}

/** How many of the newest points a span uses, and how many of them make one bucket. */
const SPANS: Readonly<Record<Span, { readonly points: number; readonly per: number }>> = {
  '5m': { points: 300, per: 5 },
  '1h': { points: 60, per: 1 },
  '24h': { points: 1_440, per: 20 },
}

/** Begins at the start of the gateway, or covers the whole span if it has run for longer. */
export function toBuckets(series: Series, span: Span, startedMs: number): Buckets {
  const { points, per } = SPANS[span]
  const length = series.calls.length
  const begun = Math.floor((startedMs - series.fromMs) / series.stepMs)
  const from = Math.max(0, length - points, Math.min(begun, length - 1))
  const starts = Array.from({ length: Math.ceil((length - from) / per) }, (_, n) => from + n * per)
  const each = <T>(read: (start: number, end: number) => T): T[] =>
    starts.map((start) => read(start, Math.min(length, start + per)))
  const sum = (column: readonly number[]) => each((start, end) => total(column, start, end))
  const calls = sum(series.calls)
  const denied = sum(series.denied)
  const errors = sum(series.errors)
  const hits = sum(series.cacheHits)
  const misses = sum(series.cacheMisses)
  const mean = (column: readonly (number | null)[]) =>
    each((start, end) => weighted(column, series.calls, start, end))
  return {
    fromMs: series.fromMs + from * series.stepMs,
    stepMs: per * series.stepMs,
    room: Math.ceil(Math.min(points, length) / per),
    answered: calls.map((all, n) => Math.max(0, all - (denied[n] ?? 0) - (errors[n] ?? 0))),
    denied,
    errors,
    p50Ms: mean(series.p50Ms),
    p95Ms: mean(series.p95Ms),
    p99Ms: mean(series.p99Ms),
    hitRate: hits.map((hit, n) =>
      hit + (misses[n] ?? 0) === 0 ? null : hit / (hit + (misses[n] ?? 0)),
    ),
    discovery: sum(series.discoveryTokens),
    budgets: sum(series.budgetTokens),
    cache: sum(series.cacheTokens),
  }
}

/** Returns the running total at each point, at least 0. */
export function cumulative(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return Math.max(0, sum)
  })
}

function total(column: readonly number[], start: number, end: number): number {
  let sum = 0
  for (let n = start; n < end; n++) sum += column[n] ?? 0
  return sum
}

/** Averages the percentiles of points, weighted by their calls: an estimate for the bucket. */
function weighted(
  column: readonly (number | null)[],
  weights: readonly number[],
  start: number,
  end: number,
): number | null {
  let sum = 0
  let weight = 0
  for (let n = start; n < end; n++) {
    const value = column[n]
    const calls = weights[n] ?? 0
    if (value === null || value === undefined || calls === 0) continue
    sum += value * calls
    weight += calls
  }
  return weight === 0 ? null : sum / weight
}
