/** Counters of the gateway around a service: its cache, its summaries, its refusals. */
export interface HealthSource {
  cache(): { readonly hits: number; readonly misses: number }
  summaries(): { readonly count: number; readonly averageReductionPct: number | null }
  /** Calls refused for their arguments before they reached the service. */
  refusals?(): number
}

/** The durations of the last thousand successful runs, and the number of failures. */
class Timings {
  #ms: number[] = []
  failures = 0

  add(durationMs: number): void {
    this.#ms.push(durationMs)
    if (this.#ms.length > 1_000) this.#ms.shift()
  }

  async measure<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      const done = await work()
      this.add(performance.now() - startedAt)
      return done
    } catch (error) {
      this.failures++
      throw error
    }
  }

  summary(): {
    readonly count: number
    readonly averageMs: number | null
    readonly maxMs: number | null
  } {
    const count = this.#ms.length
    if (count === 0) return { count, averageMs: null, maxMs: null }
    const total = this.#ms.reduce((sum, each) => sum + each, 0)
    return { count, averageMs: total / count, maxMs: Math.max(...this.#ms) }
  }
}

/** Counters of a running service; none of them is an estimate. */
export class ServiceMetrics {
  readonly startedAt = Date.now()
  startupMs = 0
  calls = 0
  failures = 0
  apiRequests = 0
  active = 0
  peak = 0
  /** Calls whose arguments were valid. */
  accepted = 0
  readonly discovery = new Timings()
  readonly prompts = new Timings()
  readonly resources = new Timings()

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.calls++
    this.active++
    this.peak = Math.max(this.peak, this.active)
    try {
      return await work()
    } catch (error) {
      this.failures++
      throw error
    } finally {
      this.active--
    }
  }
}
