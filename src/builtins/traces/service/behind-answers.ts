/** Work that nobody waits for, but that is not cut off when the service closes. */
export class BehindAnswers {
  readonly #running = new Set<Promise<void>>()

  /** The work must not reject: there is nobody to tell. */
  add(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }
}
