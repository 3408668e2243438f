import type { Storage } from '../../src/storage/storage.ts'

export interface UnreliableStorage {
  readonly storage: Storage
  /** Answers so many more uses of the database, and fails after that. */
  answer(uses: number): void
}

/** A storage whose database can be reached until told otherwise. */
export function unreliableStorage(storage: Storage): UnreliableStorage {
  let left = Infinity
  return {
    storage: {
      ...storage,
      get db() {
        left -= 1
        if (left < 0) throw new Error('the database cannot be reached')
        return storage.db
      },
    },
    answer(uses) {
      left = uses
    },
  }
}
