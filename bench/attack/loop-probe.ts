import { readFileSync } from 'node:fs'
import type { Rig } from './rig.ts'

/**
 * Measures how long the main thread of a gateway worked without answering others. It counts the
 * processor time of that thread between two answers to `/health`, so that other load on the machine
 * does not count.
 */
export class LoopProbe {
  readonly #rig: Rig
  readonly #running: Promise<void>
  #stopped = false
  #worstMs = 0

  private constructor(rig: Rig) {
    this.#rig = rig
    this.#running = this.#run()
  }

  static start(rig: Rig): LoopProbe {
    return new LoopProbe(rig)
  }

  async stop(): Promise<number> {
    this.#stopped = true
    await this.#running
    return this.#worstMs
  }

  async #run(): Promise<void> {
    let before = mainThreadMs(this.#rig.pid)
    while (!this.#stopped) {
      await this.#rig.isAlive(120_000).catch(() => undefined)
      const now = mainThreadMs(this.#rig.pid)
      this.#worstMs = Math.max(this.#worstMs, now - before)
      before = now
    }
  }
}

/** Returns the processor time of the main thread in ms; infinity if the process has ended. */
function mainThreadMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
