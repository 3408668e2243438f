import type { Signal } from './signal.ts'

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
