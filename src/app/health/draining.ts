import { setTimeout as sleep } from 'node:timers/promises'
import type { Phase } from '../../fronts/backend.ts'
import type { Front } from '../../fronts/front.ts'
import type { Log } from '../../telemetry/log.ts'

export interface DrainTimes {
  /** How long load balancers get to notice that we are not ready any more. */
  readonly drainMs: number
  /** How long calls that are under way get to end after that. */
  readonly finishMs: number
}

const LOOK_MS = 20

/** The end of a process: it stops being ready, then refuses new calls, then ends once every call is answered. */
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

  /** Resolves when the front has nothing left to answer, or its time is up; closing it is next. */
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
    const limit = Date.now() + finishMs
    while (front.inFlight() > 0 && Date.now() < limit) await sleep(LOOK_MS)
    const left = front.inFlight()
    if (left > 0) log.warn(`draining: ${left} calls did not end within ${finishMs} ms`)
    else log.info('draining: all calls have ended')
  }
}
