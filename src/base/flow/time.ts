import type { Signal } from './signal.ts'

/** What `work` gives; where it takes longer, what `late` gives or throws. The work itself goes on. */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, expired.then(late)]).finally(() => clearTimeout(timer))
}

/** The promise, unless the signal comes first. */
export async function untilAborted<T>(promise: Promise<T>, signal: Signal): Promise<T> {
  if (signal.aborted) {
    // Nobody waits for it now, so nobody else would hear of its failure.
    promise.catch(() => undefined)
    throw signal.reason
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits so long; throws the reason of the signal where that comes first. */
export async function pause(ms: number, signal: Signal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await untilAborted(over, signal).finally(() => clearTimeout(timer))
}

/** Adds up the time during which at least one of several things is under way. */
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
