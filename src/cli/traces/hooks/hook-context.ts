import type { Environment } from '../../../base/environment.ts'
import type { TracesAnswer } from '../connect-traces.ts'
import type { HookConfig } from './hook-config.ts'
import type { Memory } from './memory/memory.ts'
import type { SessionLog } from './memory/session-log.ts'

export interface SearchQuery {
  readonly q: string
  readonly tags?: readonly string[]
  readonly context?: Readonly<Record<string, string>>
}

/** What a hook has to work with. */
export interface HookContext {
  readonly env: Environment
  readonly home: string
  readonly config: HookConfig
  readonly log: SessionLog
  readonly memory: Memory
  readonly now: number
  /** One request to the service; it is connected when first needed. */
  readonly request: (method: string, path: string, body?: unknown) => Promise<TracesAnswer>
  /** Empty text when there is nothing. */
  readonly search: (query: SearchQuery) => Promise<{ text: string; first: string | undefined }>
  /** Reports something to the service, without identity; only where the user has turned telemetry on. */
  readonly report: (path: string, body: Record<string, unknown>) => Promise<void>
  /** Where a trace can be read, for the trailer of a commit. */
  readonly linkTo: (traceId: string) => string
  /** How the agent starts this program from its shell. */
  readonly command: string
}

/** What a hook answers: words for the agent, words for the user, or that the agent must go on. */
export interface HookAnswer {
  readonly context?: string | undefined
  readonly message?: string | undefined
  readonly block?: string | undefined
}
