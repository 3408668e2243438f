import type { Tool } from './servers.ts'

/** A tool, with all that its page and the form of its arguments need. */
export interface ToolDetail extends Tool {
  readonly server: string
  readonly folder: string | null
  /** JSON Schemas, as agents get them. */
  readonly inputSchema: unknown
  readonly outputSchema: unknown
  /** What each known agent may do with it; `*` is any other. */
  readonly access: readonly ToolAccess[]
}

export interface ToolAccess {
  readonly agent: string
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly message: string
}

/** A call that a person makes on a page. */
export interface ToolRun {
  readonly server: string
  readonly tool: string
  /** A JSON object as text, so that numbers keep their digits. */
  readonly arguments: string
  /** The agent whose rights it has: one of `Me.actAs`, the first by default. */
  readonly agent?: string | undefined
  /** Of the folder that alone has the server. */
  readonly folder?: string | undefined
}

export interface ToolRunAnswer {
  /** Its id in the record of calls. */
  readonly call: string
  readonly agent: string | null
  /** `ok`, `tool_error`, or the code of a failure. */
  readonly outcome: string
  /** JSON text without secrets, not shortened to the budget of the agent; null for a failure. */
  readonly result: string | null
  /** Whether only the beginning of a very long result is there. */
  readonly isCut: boolean
  readonly durationMs: number
  readonly tokenCount: number | null
  /** Why there is no result. */
  readonly error: ToolRunError | null
}

export interface ToolRunError {
  readonly message: string
  readonly hint: string | null
  /** The rule that decided. */
  readonly rule: string | null
  /** The approval that it waits for, or was refused. */
  readonly approval: string | null
}
