import type { JsonObject } from '../base/json/json.ts'

/** The server whose tools are the saved scripts. */
export const SCRIPTS_SERVER = 'scripts'

/** A script as somebody wants to save it. */
export interface ScriptDraft {
  readonly name: string
  readonly description: string
  /** A JSON Schema of its `input`, which is the arguments of the tool. */
  readonly inputSchema: JsonObject
  readonly source: string
}

/** `proposed` until a person decides. */
export type ScriptState = 'proposed' | 'approved' | 'rejected'

/** One version of a saved script. It never changes, but for what people decide about it. */
export interface ScriptVersion extends ScriptDraft {
  readonly version: number
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

/** Names one version; the newest where no number is given. */
export interface ScriptChoice {
  readonly name: string
  readonly version?: number | undefined
}

/** Where saved scripts live, with all their versions. What cannot be done is refused with `ScriptError`. */
export interface SavedScripts {
  /** The newest version of each script, and the active one where that is another. */
  list(): Promise<readonly ScriptVersion[]>
  /** All versions of a script, newest first; none where there is no such script. */
  history(name: string): Promise<readonly ScriptVersion[]>
  /** The versions that calls run. */
  active(): Promise<readonly ScriptVersion[]>
  /** Adds a version that waits for a decision. */
  propose(draft: ScriptDraft, author: string): Promise<ScriptVersion>
  /** Adds a version that is active at once. */
  save(draft: ScriptDraft, author: string): Promise<ScriptVersion>
  /** Makes a version the active one: a proposal, or an earlier version to go back to. */
  approve(choice: ScriptChoice, by: string): Promise<ScriptVersion>
  /** Refuses a version; where it is the active one, the script has none any more. */
  reject(choice: ScriptChoice, by: string): Promise<ScriptVersion>
  /** Removes a script with all its versions; false where there is none. */
  remove(name: string): Promise<boolean>
}

/** What somebody asked of saved scripts that cannot be done, and what to do instead. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}
