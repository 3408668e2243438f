import type { ScriptDraft } from '../../../protocol/saved-scripts.ts'
import type { Suspended } from '../../../sandbox/messages.ts'
import type { OpenCall } from '../host/open-calls.ts'
import type { TrailRecord } from '../host/trail.ts'

/** What the host of a suspended script needs, on whichever replica it goes on. */
export interface ScriptMemo {
  readonly source: string
  readonly wallMs: number
  readonly maxTokens: number | undefined
  readonly plan: boolean
  readonly trail: TrailRecord
  readonly open: readonly OpenCall[]
  /** The id of the call that it began with. */
  readonly begunBy: string
  /** What it is proposed as when it has ended well, beside its source. */
  readonly draft?: Omit<ScriptDraft, 'source'> | undefined
  /** The id of its task, where it is one; it is stored under it, so that the task is found again. */
  readonly task?: string | undefined
}

export interface SuspendedScript {
  readonly suspended: Suspended
  readonly memo: ScriptMemo
}

/** Why a script cannot go on, and what it has done; of one that nobody may know of, nothing. */
export interface ExpiredScript {
  readonly why: 'late' | 'resumed' | 'unreadable'
  readonly resumedAt?: number
  readonly trail: TrailRecord
}

/** Where scripts wait for the answer of a person, out of reach of everybody but their owner. */
export interface SuspendedScripts {
  /** The state that continues it; undefined where it cannot be kept, so that it has to wait in memory. */
  keep(script: SuspendedScript, owner: string): Promise<string | undefined>
  /** Once: of all who try, on whichever replica, one gets it. Undefined where the owner has no such script. */
  take(state: string, owner: string): Promise<SuspendedScript | ExpiredScript | undefined>
  /** The same without taking it: what it is, and what it asks. */
  read(state: string, owner: string): Promise<ScriptMemo | ExpiredScript | undefined>
  remove(state: string): Promise<void>
}

const PREFIX = 'suspended-script.'

/** What a client sends back to continue the script that is stored under an id. */
export function stateOf(id: string): string {
  return PREFIX + id
}

export function idOf(state: string): string | undefined {
  return state.startsWith(PREFIX) ? state.slice(PREFIX.length) : undefined
}
