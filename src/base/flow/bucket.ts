/** How fast a token bucket fills, and how much it holds. */
export interface Pace {
  /** Milliseconds in which one token is earned. */
  readonly intervalMs: number
  /** Milliseconds in which an empty bucket fills up. */
  readonly capacityMs: number
}

export interface BucketsOptions {
  /** The most buckets that are not full; beyond it, the oldest is dropped. */
  readonly most: number
  /** Clock in milliseconds; by default the process's own, which never goes back. */
  readonly now?: () => number
}

/**
 * Token buckets by name. Each is stored as the time at which it will be full again, so a full
 * bucket is the same as a missing one and can be dropped.
 */
export class Buckets {
  readonly #fullAt = new Map<string, number>()
  readonly #most: number
  readonly #now: () => number

  constructor({ most, now = () => performance.now() }: BucketsOptions) {
    this.#most = most
    this.#now = now
  }

  /** Takes one token and returns 0, or returns the milliseconds until there is one. */
  take(name: string, { intervalMs, capacityMs }: Pace): number {
    const now = this.#now()
    const known = this.#fullAt.get(name)
    const next = Math.max(known ?? now, now) + intervalMs
    // Sums of fractions of a millisecond have rounding errors.
    const excess = next - now - capacityMs - 1e-6
    if (excess > 0) return excess
    if (known === undefined && this.#fullAt.size >= this.#most) this.#makeRoom(now)
    this.#fullAt.set(name, next)
    return 0
  }

  #makeRoom(now: number): void {
    for (const [name, at] of this.#fullAt) if (at <= now) this.#fullAt.delete(name)
    if (this.#fullAt.size < this.#most) return
    const [oldest] = this.#fullAt.keys()
    if (oldest !== undefined) this.#fullAt.delete(oldest)
  }
}
