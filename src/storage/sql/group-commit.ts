import { setImmediate } from 'node:timers/promises'
import { storageFailure } from '../storage-failure.ts'

interface Waiting<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The most items per transaction: enough to share its cost, few enough for small statements. */
const MAX_ITEMS = 50

/**
 * Collects items that arrive during a write and writes them together in one transaction. A write
 * never waits for further items, and each caller waits until its own item is committed.
 */
export class GroupCommit<T> {
  readonly #write: (items: readonly T[]) => Promise<void>
  #waiting: Waiting<T>[] = []
  #isWriting = false

  constructor(write: (items: readonly T[]) => Promise<void>) {
    this.#write = write
  }

  async add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isWriting) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      // Lets other requests that came in at the same time add their items.
      await setImmediate()
      await this.#commit(this.#waiting.splice(0, MAX_ITEMS))
    }
    this.#isWriting = false
  }

  async #commit(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#write(group.map(({ item }) => item))
      for (const { resolve } of group) resolve()
    } catch (error) {
      if (group.length > 1 && isOfOneItem(error)) for (const one of group) await this.#commit([one])
      else for (const { reject } of group) reject(error)
    }
  }
}

/** Whether one item may have caused the error; writing each item alone shows which. */
function isOfOneItem(error: unknown): boolean {
  const failure = storageFailure(error)
  return failure === undefined || failure === 'duplicate'
}
