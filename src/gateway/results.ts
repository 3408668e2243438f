import type { Signal } from '../base/signal.ts'
import type { CallResult } from './call.ts'

/** A result, and for how long it may be given out. */
export interface Kept {
  readonly server: string
  readonly result: CallResult
  readonly ttlMs: number
  /** That of the server when the result was asked for: one from before a change is not kept after it. */
  readonly generation: number
  readonly turn?: Turn | undefined
}

/** What another replica has already, or leave to ask: then `end` must be called. */
export interface Turn {
  readonly result?: CallResult | undefined
  /** How long it took to get the turn. */
  readonly waitedMs: number
  /** The asking is over, kept or not: others wait for nothing more. */
  end(): void
}

export interface Wanted {
  readonly server: string
  /** Where it may be: the caller's own, and the one for everybody. */
  readonly keys: { readonly own: string; readonly shared: string }
  /** Only those who would ask for exactly the same wait for each other. */
  readonly flight: string
  /** The caller wants no result that is there already. */
  readonly anew: boolean
  /** How long to wait at most for another replica's answer. */
  readonly patienceMs: number
  readonly signal: Signal
}

/** Kept results: of this process, or of all replicas together. */
export interface Results {
  /** The first of the keys that has a fresh result in this process: at once. */
  get(...keys: readonly string[]): CallResult | undefined
  /** A result past its time, as long as it may stand in for a server that fails. */
  stale(key: string, server: string): CallResult | undefined | Promise<CallResult | undefined>
  set(key: string, kept: Kept): void
  /** Everything from a server: something was changed there. Where it returns a promise, all others know then. */
  forget(server: string): Promise<void> | undefined
  /** Changes with every `forget`. */
  generation(server: string): number
  /** Asks the other replicas first; absent where there are none. */
  readonly turn?: (wanted: Wanted) => Promise<Turn>
}
