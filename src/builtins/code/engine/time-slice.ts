const SLICE_MS = 15

/** A stretch of long work; when it is over, the event loop should run before the next one. */
export class TimeSlice {
  #since = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  async yieldToLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#since = performance.now()
  }
}
