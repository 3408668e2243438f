import type { Signal } from './signal.ts'

/**
 * Runs work that takes milliseconds of the main thread one piece per pass of the event loop, so
 * that other requests are answered in between however many pieces arrive at once. Owners take
 * turns: one that asks for a thousand pieces does not delay the next piece of another.
 */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Whether a piece has begun in this pass. */
  #isTaken = false

  /** Waits until the owner's next piece may run; undefined if it may run at once. */
  take(owner: string, signal: Signal): Promise<void> | undefined {
    return this.#isTaken ? this.#wait(owner, signal) : this.#begin()
  }

  async #wait(owner: string, signal: Signal): Promise<void> {
    await new Promise<void>((resolve) => {
      const theirs = this.#waiting.get(owner)
      if (theirs) theirs.push(resolve)
      else this.#waiting.set(owner, [resolve])
    })
    if (signal.aborted) throw signal.reason
  }

  #begin(): undefined {
    this.#isTaken = true
    setImmediate(() => this.#pass())
  }

  #pass(): void {
    this.#isTaken = false
    const [next] = this.#waiting
    if (!next) return
    const [owner, theirs] = next
    this.#waiting.delete(owner)
    const start = theirs.shift()
    // Behind all others.
    if (theirs.length > 0) this.#waiting.set(owner, theirs)
    this.#begin()
    start?.()
  }
}

/** The turns of this thread: it has one event loop. */
export const turns = new Turns()
