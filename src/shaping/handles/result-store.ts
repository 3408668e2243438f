import { LRUCache } from 'lru-cache'
import type { CallResult } from '../../gateway/call.ts'
import type { ResultSource } from '../../gateway/layers/budgets.ts'
import { roughBytes } from '../../base/json/json.ts'

export interface KeptResult {
  readonly agent: string
  readonly from?: ResultSource | undefined
  readonly result: CallResult
}

/** Stores whole results: in memory by default, in a database when replicas share it. */
export interface ResultStore {
  put(handle: string, kept: KeptResult): Promise<void>
  get(handle: string): Promise<KeptResult | undefined>
}

export interface MemoryStoreOptions {
  readonly ttlMs: number
  readonly maxBytes: number
}

/** Stores results in memory and drops the least recently read ones when the bytes run out. */
export function createMemoryStore({ ttlMs, maxBytes }: MemoryStoreOptions): ResultStore {
  const results = new LRUCache<string, KeptResult>({
    ttl: ttlMs,
    maxSize: maxBytes,
    sizeCalculation: (kept) => roughBytes(kept.result),
  })
  return {
    async put(handle, kept) {
      results.set(handle, kept)
    },
    async get(handle) {
      return results.get(handle)
    },
  }
}
