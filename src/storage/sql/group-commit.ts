import { setImmediate } from 'node:timers/promises'
import { storageFailure } from '../storage-failure.ts'

interface Waiting<T> {
  readonly item: T
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Enough to share the cost of a commit; few enough that a statement with all of them stays small. */
const MOST = 50

/**
 * Writes what arrives while a write is under way together, in one transaction. No write waits for others
 * that may not come, and everybody waits until the transaction with the own item in it is committed.
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
      // Requests that came in together are all on their way here: let them arrive.
      await setImmediate()
      await this.#commit(this.#waiting.splice(0, MOST))
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

/** The database is well and refused something: whose fault it is shows when each is written alone. */
function isOfOneItem(error: unknown): boolean {
  const failure = storageFailure(error)
  return failure === undefined || failure === 'duplicate'
}
