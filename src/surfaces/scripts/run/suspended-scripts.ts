import type { ScriptDraft } from '../../../protocol/saved-scripts.ts'
import type { SuspendedRun } from '../../../sandbox/messages.ts'
import type { OpenCall } from '../host/open-calls.ts'
import type { TrailRecord } from '../host/trail.ts'

/** The data that the host of a suspended script needs to resume it, on any replica. */
export interface ScriptMemo {
  readonly source: string
  readonly wallMs: number
  readonly maxTokens: number | undefined
  readonly plan: boolean
  readonly trail: TrailRecord
  readonly open: readonly OpenCall[]
  /** The id of the call that started it. */
  readonly begunBy: string
  /** The proposal to make when it has ended well, without its source. */
  readonly draft?: Omit<ScriptDraft, 'source'> | undefined
  /** The id of its task, if it is one. It is stored under this id, so that the task is found. */
  readonly task?: string | undefined
}

export interface SuspendedScript {
  readonly suspended: SuspendedRun
  readonly memo: ScriptMemo
}

/** Why a script cannot be resumed, and what it has done, if that can be read. */
export interface ExpiredScript {
  readonly why: 'late' | 'resumed' | 'unreadable'
  readonly resumedAt?: number
  readonly trail: TrailRecord
}

/** Stores scripts that wait for the answer of a person; only their owner can reach them. */
export interface SuspendedScripts {
  /** Returns the state that resumes it; undefined if it cannot be stored and waits in memory. */
  keep(script: SuspendedScript, owner: string): Promise<string | undefined>
  /** Takes it once, across all replicas; undefined if the owner has no such script. */
  take(state: string, owner: string): Promise<SuspendedScript | ExpiredScript | undefined>
  /** Reads what it is and what it asks, without taking it. */
  read(state: string, owner: string): Promise<ScriptMemo | ExpiredScript | undefined>
  remove(state: string): Promise<void>
}

const PREFIX = 'suspended-script.'

/** Returns the text that a client sends back to resume the script stored under an id. */
export function stateOf(id: string): string {
  return PREFIX + id
}

export function idOf(state: string): string | undefined {
  return state.startsWith(PREFIX) ? state.slice(PREFIX.length) : undefined
}
