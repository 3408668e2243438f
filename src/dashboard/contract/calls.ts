import type { Decision } from '../../telemetry/metrics/series.ts'
import type { Reload } from './config.ts'
import type { OutputLine } from './servers.ts'

export type { Decision }

/**
 * Events of `GET /calls/stream`, by `event:` name; `data` is JSON. The first is always `calls`,
 * with past calls (or, when resuming, the missed ones). Comments keep the stream alive.
 */
export interface LiveEvents {
  readonly calls: {
    /** Newest first. Sent at most ten times a second, with all calls since the last event. */
    readonly calls: readonly Call[]
    /** How many calls were left out because they came too fast or the reader was too slow. */
    readonly skipped: number
  }
  /** Sent when the configuration files were read again. */
  readonly reload: Reload
}

export interface Call {
  readonly id: string
  /** When it ended. */
  readonly at: string
  readonly agent: string | null
  /** The person who had signed in. */
  readonly user: string | null
  /** The agents whose rights it had, nearest first; null if it had its own. */
  readonly onBehalfOf: readonly string[] | null
  /** The name that its client gave itself. */
  readonly client: string | null
  /** Whether the agent is named after that client, which had no key. */
  readonly isClient: boolean
  /** The folder that it was made in. */
  readonly folder: string | null
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
  /** The script's call that made this call. */
  readonly parent: string | null
  /** The approval that it was made with. */
  readonly approval: string | null
  /** JSON text, cut and without secrets; only where `audit.arguments` is on. */
  readonly arguments: string | null
}

export interface CallDetail {
  readonly call: Call
  /** The call of the script that made it. */
  readonly script: Call | null
  /** If it ran a script: the calls that this made, in their order. */
  readonly calls: readonly Call[]
  /** What became of the question whether it may be made: newest first. */
  readonly approvals: readonly Call[]
  /** Null if nothing was kept, and for all roles but admin. */
  readonly kept: KeptCall | null
  /** What its server wrote outside the protocol during the call, and shortly before and after. */
  readonly output: readonly OutputLine[]
}

/** JSON text without secrets. */
export interface KeptCall {
  readonly arguments: string | null
  /** As the agent received it; null for a call that failed. */
  readonly result: string | null
  /** Whether one of them was cut. */
  readonly isCut: boolean
}

export interface Capture {
  readonly on: boolean
  /** How many calls are kept now, and how many bytes they take. */
  readonly calls: number
  readonly bytes: number
}

export interface AuditQuery {
  readonly agent?: string
  readonly folder?: string
  readonly server?: string
  readonly tool?: string
  readonly decision?: Decision
  /** Such as `tools/call`, or `dashboard` for what people changed. */
  readonly operation?: string
  /** Anywhere in the entry, or in arguments and results that were kept, in any case. */
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
  /** How many entries were examined for this page. */
  readonly scanned: number
  readonly tookMs: number
}
