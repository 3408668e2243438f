import type { Freshness } from '../../protocol/freshness.ts'
import type { CallResult } from '../call.ts'

/** A result to store, and how long it is fresh. */
export interface StoredResult {
  readonly server: string
  readonly result: CallResult
  readonly ttlMs: number
  /** How long it may be used after that when its server fails; as configured if undefined. */
  readonly staleMs?: number | undefined
  /** Set if the server may confirm it when it has expired. */
  readonly freshness?: Freshness | undefined
  /** The server's generation when the request was sent: an older result is not stored. */
  readonly generation: number
  /** The same for all replicas, as it was found; without it, only this process stores the result. */
  readonly shared?: string | undefined
}

/** A result that is no longer fresh, with what its server needs to confirm it. */
export interface ExpiredResult {
  readonly result: CallResult
  readonly freshness: Freshness
}

export interface WantedResult {
  readonly server: string
  /** Keys under which it may be stored: the caller's own, and the one shared by all agents. */
  readonly keys: { readonly own: string; readonly shared: string }
  /** Whether the caller wants no stored result. */
  readonly noCache: boolean
}

/** A fresh result of another replica, if there is one, and the server's generation for all. */
export interface SharedResult {
  readonly result?: CallResult | undefined
  /** Undefined while replicas share nothing. */
  readonly generation?: string | undefined
}

/** Stored results: of this process, or of all replicas together. */
export interface Results {
  /** The first fresh result of these keys in this process. */
  get(...keys: readonly string[]): CallResult | undefined
  /** An expired result in this process that its server may confirm. */
  expired(key: string): ExpiredResult | undefined
  /** An expired result that may still replace the answer of a failing server. */
  stale(key: string, server: string): CallResult | undefined | Promise<CallResult | undefined>
  set(key: string, stored: StoredResult): void
  /** Drops all results of a changed server; the promise resolves once other replicas know. */
  forget(server: string): Promise<void> | undefined
  /** Changes with every `forget`. */
  generation(server: string): number
  /** Looks for a result of other replicas; absent without replicas. */
  readonly find?: (wanted: WantedResult) => Promise<SharedResult>
}
