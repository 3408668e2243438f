const MINUTE_MS = 60_000

/** So many calls a minute, in bursts of as many. */
export class TokenBucket {
  readonly #perMinute: number
  #tokens: number
  #filledAt: number

  constructor(perMinute: number, now = Date.now()) {
    this.#perMinute = perMinute
    this.#tokens = perMinute
    this.#filledAt = now
  }

  /** Takes one: 0, or how many seconds to wait until there is one. */
  take(now = Date.now()): number {
    if (this.#perMinute === 0) return 0
    const refill = ((now - this.#filledAt) / MINUTE_MS) * this.#perMinute
    this.#tokens = Math.min(this.#perMinute, this.#tokens + refill)
    this.#filledAt = now
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 60) / this.#perMinute)
    this.#tokens -= 1
    return 0
  }
}
