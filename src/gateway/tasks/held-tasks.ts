import { MAX_TIMER_MS } from '../../base/flow/time.ts'
import { rawText } from '../../protocol/raw-text.ts'
import type { HeldTask } from './held-task.ts'

export interface HeldTasksLimits {
  readonly maxTasks: number
  /** The most tasks of one agent, so that none takes the room of the others. */
  readonly maxPerAgent: number
  /** Memory for the results of ended tasks; the oldest are dropped first. */
  readonly maxBytes: number
}

const LIMITS: HeldTasksLimits = { maxTasks: 10_000, maxPerAgent: 1000, maxBytes: 64 << 20 }
/** Bytes that are counted for a result without raw text. */
const UNKNOWN_BYTES = 4096

interface Entry {
  readonly task: HeldTask
  readonly timer: NodeJS.Timeout
  bytes: number
}

/** The tasks that this process keeps, each until its time to live is over. */
export class HeldTasks {
  readonly #limits: HeldTasksLimits
  readonly #entries = new Map<string, Entry>()
  readonly #ofAgent = new Map<string, number>()
  #bytes = 0

  constructor(limits: Partial<HeldTasksLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  get size(): number {
    return this.#entries.size
  }

  hasRoomFor(owner: string): boolean {
    const { maxTasks, maxPerAgent } = this.#limits
    return this.#entries.size < maxTasks && (this.#ofAgent.get(owner) ?? 0) < maxPerAgent
  }

  add(task: HeldTask): void {
    const { heldId, owner, ttlMs } = task
    const timer = setTimeout(() => this.#remove(heldId), Math.min(ttlMs, MAX_TIMER_MS))
    timer.unref()
    const entry: Entry = { task, timer, bytes: 0 }
    this.#entries.set(heldId, entry)
    this.#ofAgent.set(owner, (this.#ofAgent.get(owner) ?? 0) + 1)
    const weigh = () => {
      if (!task.ended || entry.bytes > 0) return
      entry.bytes = (task.result && rawText(task.result)?.length) ?? UNKNOWN_BYTES
      this.#bytes += entry.bytes
      this.#makeRoom(heldId)
    }
    task.onChange(weigh)
    weigh()
  }

  /** Returns a task of this owner, or undefined. */
  find(heldId: string, owner: string): HeldTask | undefined {
    const task = this.#entries.get(heldId)?.task
    return task?.owner === owner ? task : undefined
  }

  #makeRoom(newest: string): void {
    for (const [heldId, { task }] of this.#entries) {
      if (this.#bytes <= this.#limits.maxBytes) return
      if (task.ended && heldId !== newest) this.#remove(heldId)
    }
  }

  #remove(heldId: string): void {
    const entry = this.#entries.get(heldId)
    if (!entry) return
    const { task, timer, bytes } = entry
    clearTimeout(timer)
    this.#entries.delete(heldId)
    this.#bytes -= bytes
    const left = (this.#ofAgent.get(task.owner) ?? 1) - 1
    if (left > 0) this.#ofAgent.set(task.owner, left)
    else this.#ofAgent.delete(task.owner)
    task.cancel('The task was cancelled because its time to live is over. Call the tool again.')
  }
}
