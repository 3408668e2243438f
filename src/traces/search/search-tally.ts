import type { Storage } from '../../storage/storage.ts'
import { addToDay } from '../../storage/traces/telemetry.ts'

const DAY_MS = 86_400_000
const FLUSH_AT = 100

/** Counts searches in memory and stores the sum now and then: a read should not cost a write. */
export class SearchTally {
  readonly #storage: Storage
  readonly #now: () => number
  #count = 0

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage
    this.#now = now
  }

  /** True when it is time to flush. */
  add(): boolean {
    this.#count += 1
    return this.#count >= FLUSH_AT
  }

  async flush(): Promise<void> {
    const count = this.#count
    if (count === 0) return
    this.#count = 0
    await addToDay(this.#storage.db, {
      name: 'searches',
      day: Math.floor(this.#now() / DAY_MS),
      value: count,
    })
  }
}
