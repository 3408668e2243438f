/**
 * The part of an `AbortSignal` that a call needs. The platform's own takes about 4 µs to create on
 * Node 20, and every call needs one or two (docs/decisions/light-signals.md). Every `AbortSignal`
 * is a `Signal`; `toAbortSignal` converts the other way.
 */
export interface Signal {
  readonly aborted: boolean
  readonly reason: unknown
  /** When it will abort by itself, on the clock of `performance.now()`; absent if unknown. */
  readonly deadlineAt?: number | undefined
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Aborts its signal once; listeners are called in the order they were added. */
export class Canceller implements Signal {
  deadlineAt: number | undefined
  #aborted = false
  #reason: unknown
  #listeners: (() => void)[] | undefined

  get signal(): Signal {
    return this
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#aborted) return
    if (this.#listeners) this.#listeners.push(listener)
    else this.#listeners = [listener]
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at !== -1) this.#listeners?.splice(at, 1)
  }

  abort(reason: unknown = new Error('This operation was aborted')): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const listeners = this.#listeners ?? []
    this.#listeners = undefined
    for (const listener of listeners) listener()
  }
}

/**
 * Calls the listener when the signal aborts, or at once if it has aborted already: `addEventListener`
 * alone would never call it then. Returns the function that removes the listener.
 */
export function onAbort(signal: Signal, listener: () => void): () => void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

/** Converts a signal for `fetch` and other platform functions that require an `AbortSignal`. */
export function toAbortSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  const pass = () => controller.abort(signal.reason)
  onAbort(signal, pass)
  return controller.signal
}
