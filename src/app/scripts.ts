import { availableParallelism } from 'node:os'
import type { Config } from '../config/load.ts'
import { AGENT_SHARE } from '../gateway/layers/concurrency.ts'
import { createSlots } from '../gateway/state/slots.ts'
import { type Limits, limitsOf } from '../sandbox/limits.ts'
import type { SandboxPool } from '../sandbox/pool.ts'
import { RecentSources } from '../surfaces/scripts/recent-sources.ts'
import type { ScriptRunner } from '../surfaces/scripts/script-runner.ts'
import type { SealedScripts, SealedScriptsOptions } from './suspended-scripts.ts'

/** Scripts that run at the same time, most of them waiting for an answer. */
const MAX_SCRIPTS = 32
/** A script that takes longer becomes a task, unless the settings say when calls do. */
const TASK_AFTER_MS = 10_000

/** Delays preparation, so that the agent that has just connected is answered first. */
const PREPARE_AFTER_MS = 100

/** Runs scripts across reloads; threads stay while their limits are the same. */
export class Scripts {
  readonly #slots = createSlots()
  readonly #recent = new RecentSources()
  readonly #pools = new Map<string, Promise<SandboxPool>>()
  readonly #options: SealedScriptsOptions
  #suspended: Promise<SealedScripts> | undefined
  #preparing: NodeJS.Timeout | undefined

  constructor(options: SealedScriptsOptions) {
    this.#options = options
  }

  /** Creates a runner; nothing is loaded until an agent that may run scripts connects. */
  runnerFor({ settings }: Pick<Config, 'settings'>): ScriptRunner {
    const { scripts, deadlines, tasks } = settings
    const limits = limitsOf(scripts)
    return {
      limits,
      maxWallMs: Math.max(deadlines.callerMaxMs, limits.wallMs),
      maxTokens: scripts.maxTokens,
      tasks: {
        afterMs: tasks.offerAfterMs ?? TASK_AFTER_MS,
        // A person has as much time for the question of a task as for any other.
        ttlMs: Math.max(tasks.ttlMs, scripts.questionMs),
      },
      slots: this.#slots,
      recent: this.#recent,
      slotLimits: {
        total: MAX_SCRIPTS,
        perAgent: Math.floor(MAX_SCRIPTS * AGENT_SHARE),
      },
      run: async (...parts) => (await this.#poolFor(limits)).run(...parts),
      resume: async (...parts) => (await this.#poolFor(limits)).resume(...parts),
      prepare: () => {
        this.#preparing ??= setTimeout(() => {
          this.#preparing = undefined
          void this.#poolFor(limits).then(async (pool) => pool.prepare())
        }, PREPARE_AFTER_MS).unref()
      },
      suspended: {
        keep: async (...parts) => (await this.#suspendedScripts()).keep(...parts),
        read: async (...parts) => (await this.#suspendedScripts()).read(...parts),
        take: async (...parts) => (await this.#suspendedScripts()).take(...parts),
        remove: async (...parts) => (await this.#suspendedScripts()).remove(...parts),
      },
    }
  }

  /** Returns the pool for these limits. The threads of former pools end when they are idle. */
  async #poolFor(limits: Limits): Promise<SandboxPool> {
    const key = JSON.stringify(limits)
    const known = this.#pools.get(key)
    if (known) return known
    // One processor is left to the main thread, which serves all requests.
    const threads = Math.max(1, Math.min(limits.threads, availableParallelism() - 1))
    const opened = import('../sandbox/pool.ts').then(
      ({ SandboxPool: Pool }) => new Pool({ ...limits, threads }),
    )
    this.#pools.set(key, opened)
    return opened
  }

  async #suspendedScripts(): Promise<SealedScripts> {
    this.#suspended ??= import('./suspended-scripts.ts').then(
      ({ SealedScripts: Sealed }) => new Sealed(this.#options),
    )
    return this.#suspended
  }

  async close(): Promise<void> {
    clearTimeout(this.#preparing)
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map(async (pool) => (await pool).close()))
    ;(await this.#suspended)?.close()
  }
}
