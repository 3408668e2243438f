/** Longer than a short turn of a script, or a quick tool call, plus the way to the other thread. */
const STAY_AWAKE_MS = 0.15
/** A longer gap between two checks means that this thread had other work or lost the processor. */
const INTERRUPTED_MS = 1
const REST_MS = 100
const MAX_SKIPPED = 127

/** Time and scheduling; replaced in tests. */
export interface Clock {
  now(): number
  soon(work: () => void): void
}

const CLOCK: Clock = { now: () => performance.now(), soon: (work) => void setImmediate(work) }

/**
 * Keeps the event loop of this thread awake while a message from the other thread is likely,
 * because waking a thread takes longer than most of what happens between two messages. The loop
 * continues to serve everything else. This only pays if both threads have a processor, so each vain
 * attempt makes the next ones rarer, and an interruption stops them for a while.
 */
export class StayAwake {
  readonly #clock: Clock
  #until: number | undefined
  #looksNext = false
  #lookedAt = 0
  #restsUntil = 0
  /** How many calls of `expect` are skipped before the next one counts. */
  #skips = 0
  #skipped = 0

  constructor(clock = CLOCK) {
    this.#clock = clock
  }

  /** Must be called after sending a message that is usually answered at once. */
  expect(): void {
    if (this.#skipped < this.#skips) {
      this.#skipped++
      return
    }
    const now = this.#clock.now()
    if (now < this.#restsUntil) return
    this.#skipped = 0
    this.#until = now + STAY_AWAKE_MS
    this.#lookedAt = now
    this.#lookSoon()
  }

  /** Must be called when a message has arrived. */
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
    this.#skips = Math.min(MAX_SKIPPED, this.#skips * 2 + 1)
  }
}
