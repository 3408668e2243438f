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

export interface HookContext {
  readonly env: Environment
  readonly home: string
  readonly config: HookConfig
  readonly log: SessionLog
  readonly memory: Memory
  readonly now: number
  /** Sends one request to the service, which is connected when first needed. */
  readonly request: (method: string, path: string, body?: unknown) => Promise<TracesAnswer>
  /** Returns an empty text if nothing is found. */
  readonly search: (query: SearchQuery) => Promise<{ text: string; first: string | undefined }>
  /** Returns the address of a trace, for the trailer of a commit. */
  readonly linkTo: (traceId: string) => string
  /** How the agent starts this program from its shell. */
  readonly command: string
}

/** The answer of a hook: text for the agent, text for the user, or why the agent must go on. */
export interface HookAnswer {
  readonly context?: string | undefined
  readonly message?: string | undefined
  readonly block?: string | undefined
}
