import { Buckets } from '../base/flow/bucket.ts'
import type { CallEvent } from '../gateway/call.ts'

/** A hundred at once, then one a second: at most some 30 MB a day. */
const PACE = { intervalMs: 1_000, capacityMs: 100_000 }

/**
 * Limits how many refused attempts of unknown callers are recorded: anybody can make as many as the
 * network carries, and rotation would delete the record of all other calls. The next recorded entry
 * contains the number of events left out.
 */
export class UnknownCallers {
  readonly #buckets: Buckets
  #leftOut = 0

  constructor(now?: () => number) {
    this.#buckets = new Buckets({ most: 1, ...(now && { now }) })
  }

  /** Returns the event as it is to be recorded, or undefined if it is left out. */
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
