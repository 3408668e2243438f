import { LRUCache } from 'lru-cache'

const MOST_READERS = 10_000
/** A trace opened later than this was hardly chosen from that list. */
const REMEMBERED_MS = 30 * 60_000

/**
 * What each reader was shown last, in this process only: when the next trace is opened, it tells which
 * ones were passed over for it. A reader who searches here and opens elsewhere is simply not counted.
 */
export class ShownResults {
  readonly #shown = new LRUCache<string, { ids: readonly string[]; at: number }>({
    max: MOST_READERS,
  })

  note(reader: string, ids: readonly string[], now: number): void {
    this.#shown.set(reader, { ids, at: now })
  }

  /** What stood above a trace in the list that it was opened from. */
  passedOverFor(reader: string, opened: string, now: number): readonly string[] {
    const shown = this.#shown.get(reader)
    if (!shown || now - shown.at > REMEMBERED_MS) return []
    return shown.ids.slice(0, Math.max(0, shown.ids.indexOf(opened)))
  }
}
