import type { JsonObject } from '../base/json/json.ts'

/** The server whose tools are the saved scripts. */
export const SCRIPTS_SERVER = 'scripts'

/** A script to be saved. */
export interface ScriptDraft {
  readonly name: string
  readonly description: string
  /** A JSON Schema of its `input`, which is the arguments of the tool. */
  readonly inputSchema: JsonObject
  readonly source: string
}

/** `proposed` until a person decides. */
export type ScriptState = 'proposed' | 'approved' | 'rejected'

/** One version of a saved script. Nothing but the decision about it ever changes. */
export interface ScriptVersion extends ScriptDraft {
  readonly version: number
  /** Names its content: who approves it has read exactly this. */
  readonly digest: string
  readonly state: ScriptState
  /** Whether a call runs this version: the one that was approved last. */
  readonly isActive: boolean
  /** The agent that proposed it, or the person who saved it. */
  readonly author: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly decidedBy?: string | undefined
  readonly decidedAt?: number | undefined
}

/** Names one version; without a number, the newest. */
export interface ScriptChoice {
  readonly name: string
  readonly version?: number | undefined
}

/** Names one version by its content: numbers begin again once a script was removed. */
export interface ScriptApproval {
  readonly name: string
  readonly digest: string
}

/** Stores scripts with all their versions. Impossible requests fail with `ScriptError`. */
export interface SavedScripts {
  /** Returns the newest version of each script, and the active one if it is another. */
  list(): Promise<readonly ScriptVersion[]>
  /** Returns all versions of a script, newest first; empty if there is no such script. */
  history(name: string): Promise<readonly ScriptVersion[]>
  /** Returns the versions that calls run. */
  active(): Promise<readonly ScriptVersion[]>
  /** Adds a version that waits for a decision. */
  propose(draft: ScriptDraft, author: string): Promise<ScriptVersion>
  /** Adds a version that is active at once. */
  save(draft: ScriptDraft, author: string): Promise<ScriptVersion>
  /** Makes a version the active one: a proposal, or an earlier version to go back to. */
  approve(approval: ScriptApproval, by: string): Promise<ScriptVersion>
  /** Rejects a version; if it was the active one, the script has no active version any more. */
  reject(choice: ScriptChoice, by: string): Promise<ScriptVersion>
  /** Removes a script with all its versions; returns false if there is none. */
  remove(name: string): Promise<boolean>
}

/** The error for a request about saved scripts that cannot be fulfilled; `hint` says what to do. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}
