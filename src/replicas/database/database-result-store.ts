import { LRUCache } from 'lru-cache'
import { fromText, toText } from '../../protocol/raw-text.ts'
import type { KeptResult, ResultStore } from '../../shaping/handles/result-store.ts'
import { type KeptRow, findKept, insertKept } from '../../storage/shared/kept-results.ts'
import type { Storage } from '../../storage/storage.ts'
import { isUnreachable, readable } from './unreachable.ts'

export interface DatabaseResultStoreOptions {
  readonly storage: Storage
  /** Holds this replica's own results, and replaces the database while it is unreachable. */
  readonly local: ResultStore
  readonly ttlMs: number
}

/** The most text that may wait for the database to return. */
const MAX_WAITING_BYTES = 64 << 20

export interface DatabaseResultStore extends ResultStore {
  /** Writes results that could not be written while the database was unreachable. */
  catchUp(): Promise<void>
}

interface UnsavedResult extends Pick<KeptResult, 'agent' | 'from'> {
  readonly text: string
  readonly expiresAt: number
}

/** Results that every replica can read, byte for byte as they came. */
export function createDatabaseResultStore(
  options: DatabaseResultStoreOptions,
): DatabaseResultStore {
  const { storage, local, ttlMs } = options
  const waiting = new LRUCache<string, UnsavedResult>({
    maxSize: MAX_WAITING_BYTES,
    sizeCalculation: ({ text }) => Math.max(1, text.length),
    ttl: ttlMs,
  })

  async function write(handle: string, entry: UnsavedResult): Promise<void> {
    const { agent, from, text, expiresAt } = entry
    await insertKept(storage.db, {
      handle,
      agent,
      result_json: text,
      bytes: Buffer.byteLength(text),
      expires_at: expiresAt,
      server: from?.server ?? null,
      tool: from?.tool ?? null,
    })
  }

  return {
    async put(handle, kept) {
      await local.put(handle, kept)
      const text = toText(kept.result)
      const { agent, from } = kept
      const entry = { agent, from, text, expiresAt: Date.now() + ttlMs }
      try {
        await write(handle, entry)
      } catch (error) {
        // The handle is valid all the same: until the write succeeds, this replica answers for it.
        if (!isUnreachable(error)) throw error
        waiting.set(handle, entry)
      }
    },
    async get(handle) {
      const near = await local.get(handle)
      if (near) return near
      const row = await readable(async () => findKept(storage.db, handle, Date.now()))
      const result = row && fromText(row.result_json)
      return result && { agent: row.agent, result, from: sourceOf(row) }
    },
    async catchUp() {
      const late = Array.from(waiting.entries())
      for (const [handle, entry] of late) {
        await write(handle, entry)
        waiting.delete(handle)
      }
    },
  }
}

function sourceOf({ server, tool }: KeptRow): KeptResult['from'] {
  return server === null ? undefined : { server, tool: tool ?? undefined }
}
