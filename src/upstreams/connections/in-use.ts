/** Counts calls in flight: closing waits for them, and an idle server may be stopped. */
export class InUse {
  readonly #idleMs: number | undefined
  readonly #onIdle: () => void
  #count = 0
  /** The calls among them that closing does not wait for. */
  #resumable = 0
  #emptied: (() => void) | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  /** `onIdle` is called after `idleMs` without a call; never if `idleMs` is undefined. */
  constructor(idleMs: number | undefined, onIdle: () => void) {
    this.#idleMs = idleMs
    this.#onIdle = onIdle
  }

  /** A call is `resumable` if it can be repeated elsewhere as if nothing had happened. */
  begin(resumable = false): void {
    this.#count += 1
    if (resumable) this.#resumable += 1
  }

  end(resumable = false): void {
    this.#count -= 1
    if (resumable) this.#resumable -= 1
    if (this.#count === this.#resumable) this.#emptied?.()
    if (this.#count > 0) return
    if (this.#idleMs === undefined || this.#closed) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#count === 0) this.#onIdle()
    }, this.#idleMs)
    this.#idle.unref()
  }

  /** Resolves when the last call has ended, or after `mostMs`. `onIdle` is not called any more. */
  async close(mostMs: number): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    if (this.#count === this.#resumable) return
    await new Promise<void>((resolve) => {
      this.#emptied = resolve
      setTimeout(resolve, mostMs).unref()
    })
  }
}
