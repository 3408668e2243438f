/** Counts calls in flight: closing waits for them, and an idle server may be stopped. */
export class InUse {
  readonly #idleMs: number | undefined
  readonly #onIdle: () => void
  #count = 0
  #emptied: (() => void) | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  /** `onIdle` is called after `idleMs` without a call; never if `idleMs` is undefined. */
  constructor(idleMs: number | undefined, onIdle: () => void) {
    this.#idleMs = idleMs
    this.#onIdle = onIdle
  }

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count > 0) return
    this.#emptied?.()
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
    if (this.#count === 0) return
    await new Promise<void>((resolve) => {
      this.#emptied = resolve
      setTimeout(resolve, mostMs).unref()
    })
  }
}
