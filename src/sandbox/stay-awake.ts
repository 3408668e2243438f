/** Longer than a short turn of a script, or a call of a quick tool, and the way to the other thread. */
const AWAKE_MS = 0.15
/** After this long between two looks, others had the processor, or this thread had other work. */
const INTERRUPTED_MS = 1
const REST_MS = 100
const MOST_SKIPPED = 127

/** What passes the time; another one in tests. */
export interface Clock {
  now(): number
  soon(work: () => void): void
}

const CLOCK: Clock = { now: () => performance.now(), soon: (work) => void setImmediate(work) }

/**
 * Keeps the event loop of this thread from sleeping for the moment in which a message from the other
 * thread is likely: to wake a thread takes longer than most of what happens between two messages. The
 * loop serves everything else meanwhile. This pays only where both threads have a processor, so each
 * time in vain makes the next ones rarer, and an interruption ends it for a while.
 */
export class StayAwake {
  readonly #clock: Clock
  #until: number | undefined
  #looksNext = false
  #lookedAt = 0
  #restsUntil = 0
  /** How many expectations are passed over before the next one counts. */
  #skips = 0
  #skipped = 0

  constructor(clock = CLOCK) {
    this.#clock = clock
  }

  /** A message has been sent that is usually answered at once. */
  expect(): void {
    if (this.#skipped < this.#skips) {
      this.#skipped++
      return
    }
    const now = this.#clock.now()
    if (now < this.#restsUntil) return
    this.#skipped = 0
    this.#until = now + AWAKE_MS
    this.#lookedAt = now
    this.#lookSoon()
  }

  /** A message has come. */
  arrived(): void {
    if (this.#until === undefined) return
    this.#until = undefined
    this.#skips >>= 1
  }

  #lookSoon(): void {
    if (!this.#looksNext) this.#clock.soon(this.#look)
    this.#looksNext = true
  }

  readonly #look = (): void => {
    this.#looksNext = false
    if (this.#until === undefined) return
    const now = this.#clock.now()
    const isInterrupted = now - this.#lookedAt > INTERRUPTED_MS
    this.#lookedAt = now
    if (!isInterrupted && now < this.#until) {
      this.#lookSoon()
      return
    }
    this.#until = undefined
    if (isInterrupted) this.#restsUntil = now + REST_MS
    this.#skips = Math.min(MOST_SKIPPED, this.#skips * 2 + 1)
  }
}
