/** Names each stage with the milliseconds since the one before. */
export class StopWatch {
  readonly laps: Record<string, number> = {}
  readonly #started = performance.now()
  #last = this.#started

  lap(name: string): void {
    const now = performance.now()
    this.laps[name] = round(now - this.#last)
    this.#last = now
  }

  get total(): number {
    return round(performance.now() - this.#started)
  }
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000
