/** Divides long work into slices, between which the event loop may run. */
export class Breather {
  readonly #sliceMs: number
  #since = performance.now()

  constructor(sliceMs = 15) {
    this.#sliceMs = sliceMs
  }

  get isDue(): boolean {
    return performance.now() - this.#since >= this.#sliceMs
  }

  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#since = performance.now()
  }
}
