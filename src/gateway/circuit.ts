/** What a circuit lets through. */
type State =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly until: number }
  | { readonly kind: 'probing' }

export interface CircuitOptions {
  /** Failures in a row that open it. */
  readonly failures: number
  /** How long it stays open before one call may try again. */
  readonly openMs: number
  readonly now?: () => number
}

export type CircuitState = 'closed' | 'open' | 'half-open'

/**
 * Stops asking a server that fails. Written here because a library's half-open state makes other
 * callers wait for the probe, where they should be told at once, with the time that is left.
 */
export class Circuit {
  readonly #options: CircuitOptions
  readonly #now: () => number
  #state: State = { kind: 'closed', failures: 0 }

  constructor(options: CircuitOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  get state(): CircuitState {
    if (this.#state.kind === 'closed') return 'closed'
    return this.#state.kind === 'probing' || this.#now() >= this.#state.until ? 'half-open' : 'open'
  }

  /** Undefined when the call may go; otherwise the milliseconds to wait before trying again. */
  enter(): number | undefined {
    const state = this.#state
    if (state.kind === 'closed') return undefined
    if (state.kind === 'probing') return Math.min(1000, this.#options.openMs)
    const left = state.until - this.#now()
    if (left > 0) return left
    this.#state = { kind: 'probing' }
    return undefined
  }

  succeeded(): void {
    if (this.#state.kind !== 'closed' || this.#state.failures > 0) {
      this.#state = { kind: 'closed', failures: 0 }
    }
  }

  failed(): void {
    const failures = this.#state.kind === 'closed' ? this.#state.failures + 1 : Infinity
    this.#state =
      failures >= this.#options.failures
        ? { kind: 'open', until: this.#now() + this.#options.openMs }
        : { kind: 'closed', failures }
  }

  /** The call ended without telling anything of the server: a probe leaves its place to the next. */
  abandoned(): void {
    if (this.#state.kind === 'probing') this.#state = { kind: 'open', until: this.#now() }
  }
}
