import { Buckets } from '../../../../base/flow/bucket.ts'

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
  readonly #buckets: Buckets

  constructor(now: () => number) {
    this.#buckets = new Buckets({ most: MOST_BUCKETS, now })
  }

  take(name: string, { capacity, perMs }: Rate): number {
    const pace = { intervalMs: perMs / capacity, capacityMs: perMs }
    return Math.ceil(this.#buckets.take(name, pace) / 1000)
  }
}
