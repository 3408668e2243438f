import type { VersionSummary } from '../../config/history/describe-version.ts'

export interface ConfigView {
  readonly files: readonly ConfigFile[]
  readonly warnings: readonly string[]
  /** Files of all open folders that nobody has trusted yet. */
  readonly untrusted: readonly UntrustedFile[]
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

export interface UntrustedFile {
  readonly path: string
  /** What happened to it, and how much of it is used. */
  readonly message: string
  /** Does the same as the button on the page. */
  readonly command: string
}

/** What a person reads before trusting a file. */
export interface UntrustedContent {
  /** What its servers run, its rules say and its settings are. */
  readonly does: readonly string[]
  /** The changed lines since it was trusted; all lines if it never was. */
  readonly diff: readonly string[]
  /** Identifies this content. */
  readonly digest: string
}

export interface Reload {
  readonly at: string
  /** `partly`: an invalid file keeps its last valid content, or some of a change waits for trust. */
  readonly outcome: 'applied' | 'unchanged' | 'refused' | 'partly' | 'waiting'
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
