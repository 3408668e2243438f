import { BackingOff } from '../failures.ts'
import type { Line } from './line.ts'

/** Opens lost connections again, each after its own pause. */
export class Retries {
  readonly #waiting = new Map<Line, NodeJS.Timeout>()

  later(line: Line, pauseMs: number): void {
    clearTimeout(this.#waiting.get(line))
    const retry = setTimeout(() => {
      this.#waiting.delete(line)
      line.link().catch((error: unknown) => {
        // Timers and the clock may differ by a millisecond, so it may have been too early.
        if (error instanceof BackingOff) this.later(line, error.retryAfterMs + 1)
      })
    }, pauseMs)
    this.#waiting.set(line, retry.unref())
  }

  close(): void {
    for (const retry of this.#waiting.values()) clearTimeout(retry)
    this.#waiting.clear()
  }
}
