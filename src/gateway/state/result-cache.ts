import { LRUCache } from 'lru-cache'
import { roughBytes } from '../../base/json/json.ts'
import type { CallResult } from '../call.ts'
import type { ExpiredResult, StoredResult, Results } from './results.ts'

export interface ResultCacheOptions {
  readonly maxEntries: number
  readonly maxBytes: number
  /** How long an expired result may still replace the answer of a failing server; 0 for never. */
  readonly staleMs: number
  readonly now?: () => number
}

interface Entry extends Pick<StoredResult, 'result' | 'server' | 'freshness'> {
  readonly freshUntil: number
  /** Until when it may replace the answer of a failing server. */
  readonly staleUntil: number
}

export interface CacheStats {
  readonly hits: number
  readonly misses: number
  readonly entries: number
  readonly bytes: number
}

/** Caches whole results, limited in number and in bytes; drops the least recently used first. */
export class ResultCache implements Results {
  readonly #entries: LRUCache<string, Entry>
  readonly #changes = new Map<string, number>()
  readonly #staleMs: number
  readonly #now: () => number
  #clearings = 0
  #hits = 0
  #misses = 0

  constructor(options: ResultCacheOptions) {
    this.#staleMs = options.staleMs
    this.#now = options.now ?? Date.now
    this.#entries = new LRUCache({
      max: options.maxEntries,
      maxSize: options.maxBytes,
      // One large result must not evict everything else.
      maxEntrySize: Math.ceil(options.maxBytes / 8),
      sizeCalculation: (entry, key) => roughBytes(entry.result) + key.length,
    })
  }

  get(...keys: readonly string[]): CallResult | undefined {
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry && entry.freshUntil > this.#now()) {
        this.#hits++
        return entry.result
      }
    }
    this.#misses++
    return undefined
  }

  expired(key: string): ExpiredResult | undefined {
    const { result, freshness } = this.#entries.get(key) ?? {}
    return result && freshness && { result, freshness }
  }

  stale(key: string): CallResult | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.staleUntil > this.#now() ? entry.result : undefined
  }

  set(key: string, stored: StoredResult): void {
    const { server, result, freshness, ttlMs, staleMs = this.#staleMs, generation } = stored
    if (generation !== this.generation(server)) return
    const freshUntil = this.#now() + ttlMs
    this.#entries.set(key, {
      result,
      server,
      freshness,
      freshUntil,
      staleUntil: staleMs > 0 ? freshUntil + staleMs : 0,
    })
  }

  forget(server: string): undefined {
    this.#changes.set(server, (this.#changes.get(server) ?? 0) + 1)
    if (this.#entries.size === 0) return
    for (const [key, entry] of this.#entries.entries()) {
      if (entry.server === server) this.#entries.delete(key)
    }
  }

  /** Drops everything, after a time in which changes may have been missed. */
  clear(): void {
    this.#clearings++
    this.#entries.clear()
  }

  generation(server: string): number {
    return this.#clearings + (this.#changes.get(server) ?? 0)
  }

  get stats(): CacheStats {
    return {
      hits: this.#hits,
      misses: this.#misses,
      entries: this.#entries.size,
      bytes: this.#entries.calculatedSize,
    }
  }
}
