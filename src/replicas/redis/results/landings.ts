import type { Signal } from '../../../base/flow/signal.ts'
import type { RedisBus } from '../redis-bus.ts'

export type Landing = 'kept' | 'not kept' | 'unknown'

const CHANNEL = 'landed'
/** In case a message is lost, waiting callers check again after this time. */
const LOOK_MS = 100

export async function sayLanded(bus: RedisBus, flight: string, kept: boolean): Promise<void> {
  await bus.publish(CHANNEL, { flight, kept })
}

/** The callers that wait for a request of another replica. */
export class Landings {
  readonly #waiting = new Map<string, Set<(landing: Landing) => void>>()

  constructor(bus: RedisBus) {
    bus.subscribe(CHANNEL, ({ flight, kept }) => {
      for (const wake of this.#waiting.get(String(flight)) ?? [])
        wake(kept === true ? 'kept' : 'not kept')
    })
  }

  /** Resolves when the flight has ended or it is time to check; rejects when `signal` aborts. */
  async wait(flight: string, mostMs: number, signal: Signal): Promise<Landing> {
    if (signal.aborted) throw signal.reason
    const waiting = this.#waiting.get(flight) ?? new Set()
    this.#waiting.set(flight, waiting)
    return new Promise<Landing>((resolve, reject) => {
      const release = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(flight) === waiting)
          this.#waiting.delete(flight)
      }
      const wake = (landing: Landing) => (release(), resolve(landing))
      const leave = () => (release(), reject(signal.reason))
      const timer = setTimeout(wake, Math.min(mostMs, LOOK_MS), 'unknown')
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(wake)
    })
  }
}
