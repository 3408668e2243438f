import { hide } from '../../base/secrets/secrets.ts'
import type { CallEvent } from '../../gateway/call.ts'
import { Histogram } from './histogram.ts'

export type Decision = NonNullable<CallEvent['decision']>

export interface SeriesSummary {
  readonly count: number
  readonly avg_latency_ms: number
  readonly p50_latency_ms: number
  readonly p95_latency_ms: number
  readonly p99_latency_ms: number
  /** Share of calls that failed or timed out, or whose tool returned an error. */
  readonly error_rate: number
  readonly denial_rate: number
}

/** What is counted for one operation, agent, server or tool. */
class Series {
  readonly latency = new Histogram()
  readonly decisions: Record<Decision, number> = { ALLOW: 0, DENY: 0, ERROR: 0, TIMEOUT: 0 }
  toolErrors = 0

  record(event: Readonly<CallEvent>): void {
    this.latency.record(event.durationMs ?? 0)
    this.decisions[event.decision ?? 'ERROR']++
    if (event.isError === true) this.toolErrors++
  }

  summary(): SeriesSummary {
    const { count, sumMs } = this.latency
    const errors = this.decisions.ERROR + this.decisions.TIMEOUT + this.toolErrors
    return {
      count,
      avg_latency_ms: round(count === 0 ? 0 : sumMs / count, 2),
      p50_latency_ms: round(this.latency.quantile(0.5), 3),
      p95_latency_ms: round(this.latency.quantile(0.95), 3),
      p99_latency_ms: round(this.latency.quantile(0.99), 3),
      error_rate: round(count === 0 ? 0 : errors / count, 4),
      denial_rate: round(count === 0 ? 0 : this.decisions.DENY / count, 4),
    }
  }
}

const MAX_NAME_LENGTH = 200

/**
 * Series by name, at most `max` of them. Names past that, and those that may not be new, are counted
 * together as `other`.
 */
export class Family {
  readonly #byName = new Map<string, Series>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  of(name: string, mayBeNew = true): Series {
    let series = this.#byName.get(name)
    if (series !== undefined) return series
    // Callers can send any name, and others read the metrics, so secrets are hidden.
    const isCounted = mayBeNew && this.#byName.size < this.#max
    const key = isCounted ? hide(name.slice(0, MAX_NAME_LENGTH)) : 'other'
    series = this.#byName.get(key) ?? new Series()
    this.#byName.set(key, series)
    return series
  }

  [Symbol.iterator](): IterableIterator<[string, Series]> {
    return this.#byName.entries()
  }

  summary(): Record<string, SeriesSummary> {
    return Object.fromEntries([...this.#byName].map(([name, series]) => [name, series.summary()]))
  }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
