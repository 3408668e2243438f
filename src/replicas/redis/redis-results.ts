import { createHash, randomUUID } from 'node:crypto'
import type { CallResult } from '../../gateway/call.ts'
import { ResultCache, type ResultCacheOptions } from '../../gateway/state/result-cache.ts'
import type {
  ExpiredResult,
  Results,
  SharedResult,
  StoredResult,
  WantedResult,
} from '../../gateway/state/results.ts'
import { fromText, toText } from '../../protocol/raw-text.ts'
import type { RedisClient } from './redis-client.ts'

/** Longer texts would delay the answers of other callers, so they stay in this process. */
const MAX_LENGTH = 1024 * 1024
/** How long a result is used while changes cannot be received from other replicas. */
const UNSUBSCRIBED_TTL_MS = 2000
const GENERATION_MS = 86_400_000

/**
 * Caches results in this process and, while Redis is up, for all replicas.
 *
 * Each server has a generation: a random value that is replaced when something was changed there.
 * A result is stored behind the generation in which it was requested, and is valid only while that
 * is the server's current one. All keys of a server have one hash tag, so that they are on one node
 * of a cluster.
 */
export class RedisResults implements Results {
  readonly #client: RedisClient
  readonly #options: ResultCacheOptions
  readonly #local: ResultCache
  /** Changed servers that Redis has not heard of yet. */
  readonly #unsaid = new Set<string>()

  constructor(client: RedisClient, options: ResultCacheOptions) {
    this.#client = client
    this.#options = options
    this.#local = new ResultCache(options)
    client.bus.subscribe('changed', ({ server }) => this.#local.forget(String(server)))
    client.bus.onGap(() => this.#local.clear())
    client.onChange(({ up }) => {
      if (up) for (const server of this.#unsaid) void this.#publishForgotten(server)
    })
  }

  get(...keys: readonly string[]): CallResult | undefined {
    return this.#local.get(...keys)
  }

  expired(key: string): ExpiredResult | undefined {
    return this.#local.expired(key)
  }

  generation(server: string): number {
    return this.#local.generation(server)
  }

  async stale(key: string, server: string): Promise<CallResult | undefined> {
    const known = this.#local.stale(key)
    if (known || this.#options.staleMs === 0) return known
    const stored = await this.#read(server, [this.#resultKey(server, key)])
    return stored?.results[0] && fromText(stored.results[0].text)
  }

  set(key: string, stored: StoredResult): void {
    this.#setLocal(key, stored)
    const { server, shared, ttlMs } = stored
    if (shared === undefined || stored.generation !== this.generation(server)) return
    // Redis keeps all results equally long after they expire.
    if (ttlMs <= 0 || stored.staleMs !== undefined) return
    const text = toText(stored.result)
    if (text.length > Math.min(this.#options.maxBytes / 8, MAX_LENGTH)) return
    const keptMs = Math.ceil(ttlMs + this.#options.staleMs)
    void this.#client.ask(async (redis) =>
      redis.set(this.#resultKey(server, key), shared + text, 'PX', keptMs),
    )
  }

  async forget(server: string): Promise<void> {
    this.#local.forget(server)
    await this.#publishForgotten(server)
  }

  /** Returns the result of another replica, or the generation in which to store one. */
  find = async ({ server, keys, noCache }: WantedResult): Promise<SharedResult> => {
    if (this.#unsaid.has(server)) await this.#publishForgotten(server)
    const local = this.#local.generation(server)
    const wanted = new Set([keys.own, keys.shared].map((key) => this.#resultKey(server, key)))
    const stored = await this.#read(server, noCache ? [] : [...wanted])
    const fresh = stored?.results.find(({ leftMs }) => leftMs > 0)
    const result = fresh && fromText(fresh.text)
    if (fresh && result)
      this.#setLocal(keys.own, { server, result, ttlMs: fresh.leftMs, generation: local })
    return { result, generation: stored?.generation }
  }

  /** Reads a server's generation, and those of its results that belong to it. */
  async #read(server: string, keys: readonly string[]) {
    const generationKey = this.#generationKey(server)
    return this.#client.ask(async (redis) => {
      const [[known, ...texts], ...lives] = await Promise.all([
        redis.mget(generationKey, ...keys),
        ...keys.map(async (key) => redis.pttl(key)),
      ])
      let generation = known
      if (generation == null) {
        // What was stored before is not valid: this server may have been changed since.
        await redis.set(generationKey, randomUUID(), 'PX', GENERATION_MS, 'NX')
        generation = await redis.get(generationKey)
      }
      const results = texts.flatMap((text, n) =>
        generation != null && text?.startsWith(generation)
          ? [
              {
                text: text.slice(generation.length),
                leftMs: (lives[n] ?? 0) - this.#options.staleMs,
              },
            ]
          : [],
      )
      return { generation: generation ?? undefined, results }
    })
  }

  #setLocal(key: string, stored: StoredResult): void {
    const ttlMs = this.#client.bus.subscribed
      ? stored.ttlMs
      : Math.min(stored.ttlMs, UNSUBSCRIBED_TTL_MS)
    this.#local.set(key, { ...stored, ttlMs })
  }

  async #publishForgotten(server: string): Promise<void> {
    this.#unsaid.add(server)
    const key = this.#generationKey(server)
    const answer = await this.#client.ask(async (redis) =>
      redis.set(key, randomUUID(), 'PX', GENERATION_MS),
    )
    if (answer === undefined) return
    this.#unsaid.delete(server)
    await this.#client.ask(async () => this.#client.bus.publish('changed', { server }))
  }

  #generationKey(server: string): string {
    return this.#key(server, 'generation')
  }

  #resultKey(server: string, key: string): string {
    return this.#key(server, 'result', hash(key))
  }

  #key(server: string, ...parts: string[]): string {
    return this.#client.volatileKey(`{${hash(server)}}`, ...parts)
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27)
}
