/** What the gateway around a service has counted: its cache, its summaries, its clients. */
export interface HealthSource {
  cache(): { readonly hits: number; readonly misses: number }
  summaries(): { readonly count: number; readonly averageReductionPct: number | null }
  /** Calls refused for their arguments before they reached the service. */
  refusals?(): number
  connections?(): { readonly active: number; readonly peak: number }
}

/** Counted while the service works: nothing here is estimated. */
export class ServiceMetrics {
  readonly startedAt = Date.now()
  startupMs = 0
  calls = 0
  failures = 0
  apiRequests = 0
  active = 0
  peak = 0
  /** Calls whose arguments were right. */
  accepted = 0
  #discoveryMs: number[] = []

  discovered(durationMs: number): void {
    this.#discoveryMs.push(durationMs)
    if (this.#discoveryMs.length > 1_000) this.#discoveryMs.shift()
  }

  get discovery(): {
    readonly count: number
    readonly averageMs: number | null
    maxMs: number | null
  } {
    const count = this.#discoveryMs.length
    if (count === 0) return { count, averageMs: null, maxMs: null }
    const total = this.#discoveryMs.reduce((sum, each) => sum + each, 0)
    return { count, averageMs: total / count, maxMs: Math.max(...this.#discoveryMs) }
  }

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
