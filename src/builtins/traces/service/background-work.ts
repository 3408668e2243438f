/** Work that no caller waits for, and that the service finishes before it closes. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>()

  /** The work must not reject: no caller would receive the error. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }
}
