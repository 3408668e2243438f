import { randomUUID } from 'node:crypto'
import type { Storage } from '../../../../storage/storage.ts'
import {
  type ShownResults,
  insertShownResults,
  pruneShownResults,
  shownTo,
} from '../../../../storage/traces/shown-results.ts'
import { type SearchMiss, addToDay, insertSearchMisses } from '../../../../storage/traces/usage.ts'
import { parseList } from '../present-trace.ts'

const DAY_MS = 86_400_000
/**
 * No agent opens a result faster than this. Writing more often would slow searches: in the embedded
 * service, a commit waits for the disk on the thread that answers them.
 */
const WRITTEN_AFTER_MS = 1_000
/** A trace opened later than this was probably not chosen from that list. */
const REMEMBERED_MS = 30 * 60_000
const PRUNE_EVERY_MS = 10 * 60_000
const MAX_LISTS = 20

export interface SearchLogOptions {
  readonly now: () => number
  readonly onFault: (error: unknown) => void
}

/**
 * Records searches, misses and shown results. They are stored in the database, because a reader may
 * search in one process and open in another. They are written shortly after the answer, so that a
 * read does not wait for a write.
 */
export class SearchLog {
  readonly #storage: Storage
  readonly #now: () => number
  readonly #onFault: (error: unknown) => void
  #searches = 0
  #misses: SearchMiss[] = []
  #shown: ShownResults[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #prunedAt = -Infinity

  constructor(storage: Storage, { now, onFault }: SearchLogOptions) {
    this.#storage = storage
    this.#now = now
    this.#onFault = onFault
  }

  addSearch(miss?: SearchMiss): void {
    this.#searches += 1
    if (miss) this.#misses.push(miss)
    this.#writeSoon()
  }

  addShown(reader: string, ids: readonly string[]): void {
    if (ids.length === 0) return
    this.#shown.push({
      id: randomUUID(),
      account_id: reader,
      trace_ids_json: JSON.stringify(ids),
      at: this.#now(),
    })
    this.#writeSoon()
  }

  /** Returns the traces ranked above this one in the newest result list that contains it. */
  async passedOverFor(reader: string, opened: string): Promise<string[]> {
    await this.flush()
    const since = this.#now() - REMEMBERED_MS
    const lists = await shownTo(this.#storage.db, reader, { since, limit: MAX_LISTS })
    const list = lists
      .map(({ trace_ids_json }) => parseList(trace_ids_json))
      .find((ids) => ids.includes(opened))
    return list?.slice(0, list.indexOf(opened)) ?? []
  }

  /** Writes everything recorded so far. Records that cannot be written are reported and dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(async () => this.#write()).catch(this.#onFault)
    return this.#writing
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WRITTEN_AFTER_MS).unref()
  }

  async #write(): Promise<void> {
    const [value, misses, shown] = [this.#searches, this.#misses, this.#shown]
    if (value === 0 && shown.length === 0) return
    this.#searches = 0
    this.#misses = []
    this.#shown = []
    const day = Math.floor(this.#now() / DAY_MS)
    await this.#storage.transaction(async (tx) => {
      await insertShownResults(tx, shown)
      await insertSearchMisses(tx, misses)
      await addToDay(tx, { name: 'searches', day, value })
    })
    await this.#prune()
  }

  async #prune(): Promise<void> {
    const now = this.#now()
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return
    this.#prunedAt = now
    await pruneShownResults(this.#storage.db, now - REMEMBERED_MS)
  }
}
