import { createHash, randomUUID } from 'node:crypto'
import type { CallResult } from '../../../gateway/call.ts'
import { ResultCache, type ResultCacheOptions } from '../../../gateway/state/result-cache.ts'
import type {
  Claim,
  ClaimRequest,
  ExpiredResult,
  Results,
  StoredResult,
} from '../../../gateway/state/results.ts'
import { fromText, toText } from '../../../protocol/raw-text.ts'
import { Flight } from './flight.ts'
import { Landings } from './landings.ts'
import type { RedisClient } from '../redis-client.ts'
import { BOARD, FORGET, STALE } from './result-scripts.ts'

export interface RedisResultsOptions extends ResultCacheOptions {
  /** What a server's results depend on besides its name; replicas share them if it is equal. */
  readonly scopeOf: (server: string) => string
  readonly flightMs?: number
}

/** Longer texts would delay the answers of other callers, so they stay in this process. */
const LARGEST = 1024 * 1024
/** How long a result is used while changes cannot be received from other replicas. */
const UNSUBSCRIBED_TTL_MS = 2000
/** A replica that dies delays the others no longer than this. */
const FLIGHT_MS = 3000

/** Caches results in this process and, while Redis is up, for all replicas. */
export class RedisResults implements Results {
  readonly #client: RedisClient
  readonly #options: RedisResultsOptions
  readonly #local: ResultCache
  readonly #landings: Landings
  readonly #unsaid = new Set<string>()

  constructor(client: RedisClient, options: RedisResultsOptions) {
    this.#client = client
    this.#options = options
    this.#local = new ResultCache(options)
    this.#landings = new Landings(client.bus)
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
    const keys = [this.#generationKey(server), this.#resultKey(server, key)]
    const text = await this.#client.run(STALE, keys, [])
    return typeof text === 'string' ? fromText(text) : undefined
  }

  set(key: string, stored: StoredResult): void {
    this.#setLocal(key, stored)
    // Redis keeps all results equally long after they expire.
    const isUsual = stored.ttlMs > 0 && stored.staleMs === undefined
    if (!(stored.claim instanceof Flight) || !isUsual) return
    const text = toText(stored.result)
    if (text.length > Math.min(this.#options.maxBytes / 8, LARGEST)) return
    const keptMs = Math.ceil(stored.ttlMs + this.#options.staleMs)
    stored.claim.land({ key: this.#resultKey(stored.server, key), text, keptMs })
  }

  async forget(server: string): Promise<void> {
    this.#local.forget(server)
    await this.#publishForgotten(server)
  }

  claim = async (wanted: ClaimRequest): Promise<Claim> => {
    const begunAt = performance.now()
    const endAt = begunAt + wanted.waitMs
    for (;;) {
      const found = await this.#board(wanted, begunAt)
      if (found) return found
      const leftMs = endAt - performance.now()
      if (leftMs <= 0) return alone(begunAt)
      const landing = await this.#landings.wait(this.#flightKey(wanted), leftMs, wanted.signal)
      // If the result was not stored, all callers send their own requests, at the same time.
      if (landing === 'not kept') return alone(begunAt)
    }
  }

  /** Returns a result, or a claim to fetch it; undefined while another replica holds the claim. */
  async #board(wanted: ClaimRequest, begunAt: number): Promise<Claim | undefined> {
    if (!this.#client.state.up) return alone(begunAt)
    const { server, keys, noCache } = wanted
    const generation = this.#local.generation(server)
    const word = randomUUID()
    const own = this.#resultKey(server, keys.own)
    const shared = this.#resultKey(server, keys.shared)
    const flight = {
      generationKey: this.#generationKey(server),
      key: this.#flightKey(wanted),
      word,
    }
    const lifeMs = this.#options.flightMs ?? FLIGHT_MS
    const answer = await this.#client.run(
      BOARD,
      [flight.generationKey, flight.key, ...new Set([own, shared])],
      [word, lifeMs, this.#options.staleMs, noCache ? 'refresh' : ''],
    )
    if (!Array.isArray(answer)) return alone(begunAt)
    const [verdict, remote, text, leftMs]: unknown[] = answer
    const waitedMs = performance.now() - begunAt
    if (verdict === 'busy') return undefined
    if (verdict === 'go')
      return new Flight({
        ...flight,
        client: this.#client,
        remote: String(remote),
        waitedMs,
        lifeMs,
      })
    const result = fromText(String(text))
    if (!result) return alone(begunAt)
    this.#setLocal(keys.own, { server, result, ttlMs: Number(leftMs), generation })
    return { result, waitedMs, end: () => {} }
  }

  #setLocal(key: string, stored: StoredResult): void {
    const ttlMs = this.#client.bus.subscribed
      ? stored.ttlMs
      : Math.min(stored.ttlMs, UNSUBSCRIBED_TTL_MS)
    this.#local.set(key, { ...stored, ttlMs })
  }

  async #publishForgotten(server: string): Promise<void> {
    this.#unsaid.add(server)
    const answer = await this.#client.run(FORGET, [this.#generationKey(server)], [randomUUID()])
    if (answer === undefined) return
    this.#unsaid.delete(server)
    await this.#client.ask(async () => this.#client.bus.publish('changed', { server }))
  }

  #generationKey(server: string): string {
    return this.#key(server, 'generation')
  }

  #flightKey({ server, flight }: ClaimRequest): string {
    return this.#key(server, 'flight', hash(flight))
  }

  #resultKey(server: string, key: string): string {
    return this.#key(server, 'result', hash(key))
  }

  #key(server: string, ...parts: string[]): string {
    const scope = hash(`${server}\n${this.#options.scopeOf(server)}`)
    return this.#client.volatileKey(`{${scope}}`, ...parts)
  }
}

/** Returns a claim that no other replica waits for. */
function alone(begunAt: number): Claim {
  return { waitedMs: performance.now() - begunAt, end: () => {} }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27)
}
