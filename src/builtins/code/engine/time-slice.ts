/** A stretch of long work; when it is over, the event loop should run before the next one. */
export class TimeSlice {
  readonly #sliceMs: number
  #since = performance.now()

  constructor(sliceMs = 15) {
    this.#sliceMs = sliceMs
  }

  get isOver(): boolean {
    return performance.now() - this.#since >= this.#sliceMs
  }

  async yieldToLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#since = performance.now()
  }
}
