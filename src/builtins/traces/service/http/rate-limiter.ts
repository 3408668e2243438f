interface Bucket {
  tokens: number
  updatedAt: number
}

export interface Rate {
  readonly capacity: number
  /** How long an empty bucket takes to fill. */
  readonly perMs: number
}

/** Who may go on: an answer at once, or after asking what several processes share. */
export interface RateLimits {
  /** Of what processes share; absent where they share nothing. */
  readonly state?: 'ok' | 'unavailable'
  /** 0 when the call may go on, else after how many seconds it may. */
  take(name: string, rate: Rate): number | Promise<number>
}

/** Buckets of callers who have gone are forgotten from this number on. */
const MOST_BUCKETS = 50_000

/** Token buckets by name, of this process alone. */
export class RateLimiter implements RateLimits {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  take(name: string, { capacity, perMs }: Rate): number {
    const now = this.#now()
    const perToken = perMs / capacity
    const bucket = this.#buckets.get(name) ?? { tokens: capacity, updatedAt: now }
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.updatedAt) / perToken)
    bucket.updatedAt = now
    this.#remember(name, bucket)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil(((1 - bucket.tokens) * perToken) / 1000))
    bucket.tokens -= 1
    return 0
  }

  /** Keeps the map in order of use, so that the first one is the one to forget. */
  #remember(name: string, bucket: Bucket): void {
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size <= MOST_BUCKETS) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
