import type { SlotLimits, Slots } from '../../gateway/state/slots.ts'
import type { Limits } from '../../sandbox/limits.ts'
import type { SandboxPool } from '../../sandbox/pool.ts'
import type { RecentSources } from './recent-sources.ts'
import type { SuspendedScripts } from './run/suspended-scripts.ts'

/** Where scripts run, and what one may use. */
export interface ScriptRunner extends Pick<SandboxPool, 'run' | 'resume'> {
  readonly limits: Limits
  /** The most time that a caller gets with `timeout_ms`. */
  readonly maxWallMs: number
  /** What an answer may cost, unless its caller says otherwise. */
  readonly maxTokens: number
  /** When a script becomes a task, and for how long it can be asked for. */
  readonly tasks: { readonly afterMs: number; readonly ttlMs: number }
  /** Scripts under way, shared fairly between agents. */
  readonly slots: Slots
  readonly slotLimits: SlotLimits
  /** Scripts that wait for the answer of a person. */
  readonly suspended: SuspendedScripts
  /** What people may save of it. */
  readonly recent: RecentSources
  /** An agent that may run scripts has come: has the engine ready when its first one does. */
  prepare(): void
}
