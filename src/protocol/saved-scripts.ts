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

/** A script that is a tool, or a proposal that waits for a person. */
export interface SavedScript extends ScriptDraft {
  readonly state: 'approved' | 'proposed'
  /** Names its name and content: who approves it has read exactly this. */
  readonly digest: string
  /** The agent that proposed it, or the person who saved it; empty if nobody wrote it down. */
  readonly author: string
  /** An ISO date; empty if nobody wrote it down. */
  readonly savedAt: string
  readonly approvedBy?: string | undefined
}

/** Stores scripts and proposals. Impossible requests fail with `ScriptError`. */
export interface SavedScripts {
  /** Returns all scripts by name, each behind its proposals, the newest first. */
  list(): Promise<readonly SavedScript[]>
  /** Describes what is stored and cannot be read as a script. */
  problems(): Promise<readonly string[]>
  /** Stores a script that waits for a decision. */
  propose(draft: ScriptDraft, author: string): Promise<SavedScript>
  /** Stores a script that is a tool at once, in place of an earlier one of its name. */
  save(draft: ScriptDraft, author: string): Promise<SavedScript>
  /** Makes a proposal a tool, in place of an earlier one of its name. */
  approve(digest: string, by: string): Promise<SavedScript>
  /** Removes a proposal. */
  reject(digest: string): Promise<SavedScript>
  /** Removes the tool of this name; returns false if there is none. */
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
