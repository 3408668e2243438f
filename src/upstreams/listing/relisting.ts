const MIN_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * Lists a server again when it says that its lists have changed: the first time at once, and then
 * after a pause that grows for as long as it goes on saying so. A server may say so whenever it is
 * listed. No change is lost: what comes in a pause is listed at its end.
 */
export class Relisting {
  readonly #list: () => Promise<unknown>
  #waitMs = MIN_WAIT_MS
  #isWaiting = false
  #hasChanged = false

  constructor(list: () => Promise<unknown>) {
    this.#list = list
  }

  /** Called when the server says that a list has changed. */
  changed(): void {
    this.#hasChanged = true
    if (!this.#isWaiting) void this.#relist()
  }

  async #relist(): Promise<void> {
    this.#isWaiting = true
    this.#hasChanged = false
    await this.#list().catch(() => undefined)
    const timer = setTimeout(() => {
      this.#isWaiting = false
      this.#waitMs = this.#hasChanged ? Math.min(this.#waitMs * 2, MAX_WAIT_MS) : MIN_WAIT_MS
      if (this.#hasChanged) void this.#relist()
    }, this.#waitMs)
    timer.unref()
  }
}
