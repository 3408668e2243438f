type State =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly until: number }
  | { readonly kind: 'probing'; readonly until: number }

/** The state that a circuit has changed to. */
export type CircuitChange = 'open' | 'closed'

export interface CircuitOptions {
  /** Failures in a row that open it. */
  readonly failures: number
  /** How long it stays open before one call may try again. */
  readonly openMs: number
  /** Milliseconds of a clock that never goes back; the process's own when absent. */
  readonly now?: () => number
  /** Called when the circuit opens and when it closes again. */
  readonly onStateChange?: ((state: CircuitChange) => void) | undefined
}

export type CircuitState = 'closed' | 'open' | 'half-open'

/**
 * Stops sending calls to a server that fails. Libraries make other callers wait while a call probes
 * the server; here they fail at once and learn how long to wait.
 */
export class Circuit {
  readonly #options: () => CircuitOptions
  #state: State = { kind: 'closed', failures: 0 }

  /** Options are read on every use: a reload may change them. */
  constructor(options: () => CircuitOptions) {
    this.#options = options
  }

  get state(): CircuitState {
    if (this.#state.kind === 'closed') return 'closed'
    return this.#state.kind === 'probing' || this.#now() >= this.#state.until ? 'half-open' : 'open'
  }

  /** Returns undefined if the call may go, else the milliseconds to wait before trying again. */
  enter(): number | undefined {
    const state = this.#state
    if (state.kind === 'closed') return undefined
    const { openMs } = this.#options()
    const left = state.until - this.#now()
    if (left > 0) return state.kind === 'probing' ? Math.min(1000, openMs) : left
    // A probe may take longer than this, for example while it waits for a person. It must not keep
    // all other calls out, so the next call probes too.
    this.#state = { kind: 'probing', until: this.#now() + openMs }
    return undefined
  }

  succeeded(): void {
    if (this.#state.kind === 'closed' && this.#state.failures === 0) return
    const wasOpen = this.#state.kind !== 'closed'
    this.#state = { kind: 'closed', failures: 0 }
    if (wasOpen) this.#options().onStateChange?.('closed')
  }

  failed(): void {
    const wasClosed = this.#state.kind === 'closed'
    const failures = this.#state.kind === 'closed' ? this.#state.failures + 1 : Infinity
    const opens = failures >= this.#options().failures
    this.#state = opens
      ? { kind: 'open', until: this.#now() + this.#options().openMs }
      : { kind: 'closed', failures }
    if (opens && wasClosed) this.#options().onStateChange?.('open')
  }

  /** Another replica found that the server fails: the next failure opens the circuit. */
  expectFailure(): void {
    if (this.#state.kind === 'closed')
      this.#state = { kind: 'closed', failures: this.#options().failures - 1 }
  }

  /** Another replica found that the server works again: the next call may probe it. */
  allowProbe(): void {
    if (this.#state.kind === 'open') this.#state = { kind: 'open', until: this.#now() }
  }

  /** The call ended and says nothing about the server: the next call may probe instead. */
  inconclusive(): void {
    if (this.#state.kind === 'probing') this.#state = { kind: 'open', until: this.#now() }
  }

  #now(): number {
    const { now } = this.#options()
    return now ? now() : performance.now()
  }
}
