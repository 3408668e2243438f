import { Buckets } from '../../../base/flow/bucket.ts'
import type { Rate, RateLimits } from '../../kit/define-builtin.ts'

/** The most buckets that are kept; beyond that, unused ones are dropped. */
const MAX_BUCKETS = 50_000

/** Named token buckets, local to this process. */
export class RateLimiter implements RateLimits {
  readonly #buckets: Buckets

  constructor(now: () => number) {
    this.#buckets = new Buckets({ most: MAX_BUCKETS, now })
  }

  take(name: string, { capacity, perMs }: Rate): number {
    const pace = { intervalMs: perMs / capacity, capacityMs: perMs }
    return Math.ceil(this.#buckets.take(name, pace) / 1000)
  }
}
