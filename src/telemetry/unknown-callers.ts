import { Buckets } from '../base/flow/bucket.ts'
import type { CallEvent } from '../gateway/call.ts'

/** A hundred at once, then one a second: some 30 MB a day at most. */
const PACE = { intervalMs: 1_000, capacityMs: 100_000 }

/**
 * Bounds what refused attempts of unknown callers write: anybody can make as many as the network
 * carries, and the record of everybody else's calls would be rotated away. What is left out is counted
 * in the next entry that is recorded.
 */
export class UnknownCallers {
  readonly #buckets: Buckets
  #leftOut = 0

  constructor(now?: () => number) {
    this.#buckets = new Buckets({ most: 1, ...(now && { now }) })
  }

  /** The event as it is recorded; undefined where it is left out. */
  bound(event: Readonly<CallEvent>): Readonly<CallEvent> | undefined {
    if (event.agent !== undefined || event.decision !== 'DENY') return event
    if (this.#buckets.take('', PACE) > 0) {
      this.#leftOut += 1
      return undefined
    }
    const leftOut = this.#leftOut
    this.#leftOut = 0
    return leftOut === 0 ? event : { ...event, leftOut }
  }
}
