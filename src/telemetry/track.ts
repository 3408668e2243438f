import type { CallEvent } from '../gateway/call.ts'
import { Histogram } from './metrics/histogram.ts'

const COUNTS = [
  'calls',
  'denied',
  'errors',
  'cacheHits',
  'cacheMisses',
  'discoveryTokens',
  'budgetTokens',
  'cacheTokens',
] as const
const QUANTILES = { p50Ms: 0.5, p95Ms: 0.95, p99Ms: 0.99 } as const

export type Count = (typeof COUNTS)[number]
type Quantile = keyof typeof QUANTILES

/** Columns of equal length, oldest first; the last point is still growing. */
export type Points = Readonly<Record<Count, number[]>> &
  Readonly<Record<Quantile, (number | null)[]>> & {
    readonly stepMs: number
    /** The time of the first point. */
    readonly fromMs: number
  }

/**
 * Counts for the last `size` steps of time. Only the current step has a histogram; when it ends,
 * three quantiles are kept of it, so a day of minutes takes 130 KB.
 */
export class Track {
  readonly #stepMs: number
  readonly #size: number
  readonly #live = new Histogram()
  readonly #counts: Record<Count, Float64Array>
  readonly #quantiles: Record<Quantile, Float64Array>
  #step: number

  constructor(stepMs: number, size: number, nowMs: number) {
    this.#stepMs = stepMs
    this.#size = size
    this.#step = Math.floor(nowMs / stepMs)
    const column = () => new Float64Array(size)
    this.#counts = eachCount(column)
    this.#quantiles = { p50Ms: column(), p95Ms: column(), p99Ms: column() }
  }

  record(event: Readonly<CallEvent>, atMs: number): void {
    this.advance(atMs)
    const slot = this.#step % this.#size
    this.#live.record(event.durationMs ?? 0)
    bump(this.#counts.calls, slot, 1)
    if (event.decision === 'DENY') bump(this.#counts.denied, slot, 1)
    else if (event.decision !== 'ALLOW' || event.isError === true)
      bump(this.#counts.errors, slot, 1)
    if (event.tokensSaved !== undefined) bump(this.#counts.budgetTokens, slot, event.tokensSaved)
    if (event.cache === undefined) return
    bump(event.cache === 'hit' ? this.#counts.cacheHits : this.#counts.cacheMisses, slot, 1)
    if (event.cache === 'hit') bump(this.#counts.cacheTokens, slot, event.tokenCount ?? 0)
  }

  /** Adds to the count at a past time; ignored if that is too long ago. */
  add(count: Count, value: number, atMs: number): void {
    const step = Math.min(Math.floor(atMs / this.#stepMs), this.#step)
    if (step > this.#step - this.#size) bump(this.#counts[count], step % this.#size, value)
  }

  /** Closes the steps that are over and returns how many. A clock set back changes nothing. */
  advance(nowMs: number): number {
    const step = Math.floor(nowMs / this.#stepMs)
    if (step <= this.#step) return 0
    this.#settle()
    this.#live.reset()
    const gone = Math.min(step - this.#step, this.#size)
    for (let next = step - gone + 1; next <= step; next++) {
      for (const name of COUNTS) this.#counts[name][next % this.#size] = 0
    }
    this.#step = step
    return gone
  }

  points(nowMs: number): Points {
    this.advance(nowMs)
    this.#settle()
    const first = this.#step - this.#size + 1
    const inOrder = (column: Float64Array) => {
      const split = (this.#step + 1) % this.#size
      return [...column.subarray(split), ...column.subarray(0, split)]
    }
    const counts = eachCount((name) => inOrder(this.#counts[name]))
    const quantile = (name: Quantile) =>
      inOrder(this.#quantiles[name]).map((value, index) =>
        counts.calls[index] === 0 ? null : value,
      )
    return {
      stepMs: this.#stepMs,
      fromMs: first * this.#stepMs,
      ...counts,
      p50Ms: quantile('p50Ms'),
      p95Ms: quantile('p95Ms'),
      p99Ms: quantile('p99Ms'),
    }
  }

  #settle(): void {
    const slot = this.#step % this.#size
    if (this.#live.count === 0) return
    for (const name of ['p50Ms', 'p95Ms', 'p99Ms'] as const)
      this.#quantiles[name][slot] = this.#live.quantile(QUANTILES[name])
  }
}

function eachCount<Value>(make: (name: Count) => Value): Record<Count, Value> {
  return {
    calls: make('calls'),
    denied: make('denied'),
    errors: make('errors'),
    cacheHits: make('cacheHits'),
    cacheMisses: make('cacheMisses'),
    discoveryTokens: make('discoveryTokens'),
    budgetTokens: make('budgetTokens'),
    cacheTokens: make('cacheTokens'),
  }
}

function bump(column: Float64Array, slot: number, by: number): void {
  column[slot] = (column[slot] ?? 0) + by
}
