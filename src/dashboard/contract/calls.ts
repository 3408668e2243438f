import type { Reload } from './config.ts'
import type { OutputLine } from './servers.ts'

export type Decision = 'ALLOW' | 'DENY' | 'ERROR' | 'TIMEOUT'

/**
 * Events of `GET /calls/stream`, by `event:` name; `data` is JSON. The first is always `calls`, with
 * what went before (or, when resuming, what was missed). Comments keep the stream alive.
 */
export interface LiveEvents {
  readonly calls: {
    /** Newest first. At most ten times a second, with all that came meanwhile. */
    readonly calls: readonly Call[]
    /** Calls that were left out because they came too fast, or the reader was too slow. */
    readonly skipped: number
  }
  /** The files were read again. */
  readonly reload: Reload
}

export interface Call {
  readonly id: string
  /** When it ended. */
  readonly at: string
  readonly agent: string | null
  /** The name that its client gave itself. */
  readonly client: string | null
  /** `tools/call`, `execute_tool`, `find_tools`… */
  readonly operation: string
  readonly server: string | null
  readonly tool: string | null
  readonly decision: Decision
  readonly outcome: string
  readonly durationMs: number
  readonly rule: string | null
  readonly reason: string | null
  readonly error: string | null
  readonly cache: 'hit' | 'miss' | null
  readonly tokenCount: number | null
  readonly tokensSaved: number | null
  /** JSON text, cut and without secrets; only where `audit.arguments` is on. */
  readonly arguments: string | null
}

export interface CallDetail {
  readonly call: Call
  /** Null where nothing was kept of it, and for everybody but admins. */
  readonly kept: KeptCall | null
  /** What its server wrote beside the protocol while it ran, and shortly before and after. */
  readonly output: readonly OutputLine[]
}

/** JSON text without secrets. */
export interface KeptCall {
  readonly arguments: string | null
  /** As the agent got it; null for a call that failed. */
  readonly result: string | null
  /** Whether one of them is only its beginning. */
  readonly isCut: boolean
}

export interface Capture {
  readonly on: boolean
  /** How many calls are kept now, and what they take. */
  readonly calls: number
  readonly bytes: number
}

export interface AuditQuery {
  readonly agent?: string
  readonly server?: string
  readonly tool?: string
  readonly decision?: Decision
  /** Anywhere in the entry, in any case. */
  readonly text?: string
  /** ISO, inclusive. */
  readonly since?: string
  /** ISO, exclusive. */
  readonly until?: string
  /** `AuditPage.next` of the page before. */
  readonly cursor?: string
  /** 1 to 500; 100 when left out. */
  readonly limit?: number
}

export interface AuditPage {
  /** Newest first. */
  readonly calls: readonly Call[]
  /** Null when there is no more. */
  readonly next: string | null
  /** How many entries were looked at for this page. */
  readonly scanned: number
  readonly tookMs: number
}
