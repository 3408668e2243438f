import type { Signal } from './signal.ts'

/** Node fires a timer with a longer delay at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Returns the result of `work`, or of `late` if it takes longer; the work itself goes on. */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS))
  })
  return Promise.race([work, expired.then(late)]).finally(() => clearTimeout(timer))
}

/** Settles like the promise, or rejects with the signal's reason if the signal aborts first. */
export async function untilAborted<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  if (signal.aborted) {
    // Nobody awaits the promise any more, so its failure must not become an unhandled rejection.
    promise.catch(() => undefined)
    throw signal.reason
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits for `ms` milliseconds, or throws the signal's reason if the signal aborts first. */
export async function pause(ms: number, signal: Signal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS))
  })
  await untilAborted(over, signal).finally(() => clearTimeout(timer))
}

/** Adds up the time during which at least one of several promises is pending. */
export class Stopwatch {
  #running = 0
  #startedAt = 0
  #ms = 0

  get ms(): number {
    return this.#running > 0 ? this.#ms + performance.now() - this.#startedAt : this.#ms
  }

  async during<T>(work: Promise<T>): Promise<T> {
    if (this.#running++ === 0) this.#startedAt = performance.now()
    try {
      return await work
    } finally {
      if (this.#running === 1) this.#ms = this.ms
      this.#running--
    }
  }
}
