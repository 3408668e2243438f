import type { VersionSummary } from '../../config/history/describe-version.ts'

export interface ConfigView {
  readonly files: readonly ConfigFile[]
  readonly warnings: readonly string[]
  /** Newest first. */
  readonly history: readonly Reload[]
  /** Every setting in effect, secrets redacted. */
  readonly settings: readonly Setting[]
}

export interface ConfigFile {
  readonly kind: 'mcp' | 'rules' | 'settings'
  /** Null when there is none. */
  readonly path: string | null
  /** `user` applies in every folder; null when there is no file. */
  readonly level: 'user' | 'project' | null
  readonly lastAttempt: string | null
  readonly lastSuccess: string | null
  readonly lastError: string | null
  readonly attempts: number
  readonly successes: number
  readonly warnings: readonly string[]
  /** The changes since the file was trusted; null if it is as it was trusted, or is always used. */
  readonly changes: {
    readonly inForce: readonly string[]
    /** What waits for `portolan trust`. */
    readonly waiting: readonly string[]
  } | null
}

export interface Reload {
  readonly at: string
  /** `partly`: an invalid file keeps its last valid content, or a change waits for trust. */
  readonly outcome: 'applied' | 'unchanged' | 'refused' | 'partly'
  /** In words, such as `server "git" added` or `rules of agent "ada" changed`. */
  readonly changes: readonly string[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly tookMs: number
}

export interface Setting {
  /** Such as `listen.port`. */
  readonly path: string
  /** JSON value; `[redacted]` in place of a secret. */
  readonly value: unknown
  readonly isDefault: boolean
  readonly description: string | null
}

export interface History {
  /** False if the configuration is in the database, for example. */
  readonly inFiles: boolean
  readonly versions: readonly VersionSummary[]
}

export type { VersionSummary }
