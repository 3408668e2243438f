import type { Storage } from '../../storage/storage.ts'
import { type SearchMiss, addToDay, insertSearchMisses } from '../../storage/traces/telemetry.ts'

const DAY_MS = 86_400_000
const FLUSH_AT = 100

/** Notes searches and misses in memory and stores them now and then: a read should not cost a write. */
export class SearchTally {
  readonly #storage: Storage
  readonly #now: () => number
  #searches = 0
  #misses: SearchMiss[] = []

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage
    this.#now = now
  }

  /** True when enough has come together to be stored. */
  add(miss?: SearchMiss): boolean {
    this.#searches += 1
    if (miss) this.#misses.push(miss)
    return this.#searches >= FLUSH_AT
  }

  async flush(): Promise<void> {
    const [value, misses] = [this.#searches, this.#misses]
    if (value === 0) return
    this.#searches = 0
    this.#misses = []
    const day = Math.floor(this.#now() / DAY_MS)
    await this.#storage.transaction(async (tx) => {
      await addToDay(tx, { name: 'searches', day, value })
      await insertSearchMisses(tx, misses)
    })
  }
}
