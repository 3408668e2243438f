/** The most characters of all sources together. */
const MAX_CHARS = 2 * 1024 * 1024

/**
 * The sources of the newest scripts that ended well, so that a person can save one of them. They
 * are only in the memory of this process: the audit has no sources, unless it records arguments.
 */
export class RecentSources {
  readonly #sources = new Map<string, string>()
  #chars = 0

  /** `run` is the id of the call that started the script. */
  keep(run: string, source: string): void {
    this.#forget(run)
    this.#sources.set(run, source)
    this.#chars += source.length
    for (const oldest of this.#sources.keys()) {
      if (this.#chars <= MAX_CHARS) return
      this.#forget(oldest)
    }
  }

  find(run: string): string | undefined {
    return this.#sources.get(run)
  }

  #forget(run: string): void {
    this.#chars -= this.#sources.get(run)?.length ?? 0
    this.#sources.delete(run)
  }
}
