import { setTimeout as sleep } from 'node:timers/promises'
import type { Phase } from '../../fronts/backend.ts'
import type { Front } from '../../fronts/front.ts'
import type { Log } from '../../telemetry/log.ts'

export interface DrainTimes {
  /** How long load balancers have to notice that this process is no longer ready. */
  readonly drainMs: number
  /** How long calls in flight have to end after that. */
  readonly finishMs: number
}

const LOOK_MS = 20

/** Shuts a process down: it stops being ready, refuses new calls, and waits for those in flight. */
export class Drain {
  #phase: Phase = 'serving'
  #since: number | undefined

  get phase(): Phase {
    return this.#phase
  }

  /** When it began, in milliseconds since the epoch. */
  get since(): number | undefined {
    return this.#since
  }

  /** Resolves when the front has no calls left or the time is up; the caller then closes it. */
  async run(front: Front, { drainMs, finishMs }: DrainTimes, log: Log): Promise<void> {
    this.#phase = 'draining'
    this.#since = Date.now()
    if (drainMs > 0 && front.balanced) {
      log.info(`draining: serving for another ${drainMs} ms while load balancers notice`)
      await sleep(drainMs)
    }
    this.#phase = 'refusing'
    front.endSubscriptions()
    const before = front.inFlight()
    if (before === 0) return
    log.info(`draining: waiting for ${before} calls in flight`)
    const limit = performance.now() + finishMs
    while (front.inFlight() > 0 && performance.now() < limit) await sleep(LOOK_MS)
    const left = front.inFlight()
    if (left > 0) log.warn(`draining: ${left} calls did not end within ${finishMs} ms`)
    else log.info('draining: all calls have ended')
  }
}
