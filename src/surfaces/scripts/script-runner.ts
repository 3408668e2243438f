import type { SlotLimits, Slots } from '../../gateway/state/slots.ts'
import type { Limits } from '../../sandbox/limits.ts'
import type { SandboxPool } from '../../sandbox/pool.ts'
import type { RecentSources } from './recent-sources.ts'
import type { SuspendedScripts } from './run/suspended-scripts.ts'

/** Runs scripts, within limits. */
export interface ScriptRunner extends Pick<SandboxPool, 'run' | 'resume'> {
  readonly limits: Limits
  /** The most time that a caller may set with `timeout_ms`. */
  readonly maxWallMs: number
  /** The most tokens of an answer, unless its caller says otherwise. */
  readonly maxTokens: number
  /** When a script becomes a task, and how long that task is kept. */
  readonly tasks: { readonly afterMs: number; readonly ttlMs: number }
  /** Slots of running scripts, shared fairly between agents. */
  readonly slots: Slots
  readonly slotLimits: SlotLimits
  /** Scripts that wait for the answer of a person. */
  readonly suspended: SuspendedScripts
  /** The sources that people may save. */
  readonly recent: RecentSources
  /** Prepares the engine; called when an agent that may run scripts connects. */
  prepare(): void
}
