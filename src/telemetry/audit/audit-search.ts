/** One line of the audit record, as it was written (the names are those of the file). */
export interface AuditRecord {
  readonly [name: string]: unknown
}

export interface AuditQuery {
  readonly agent?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly decision?: string | undefined
  /** Anywhere in the line, whatever the case of the letters. */
  readonly text?: string | undefined
  /** Milliseconds since the epoch: from this moment on, and before that one. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  /** Goes on where an earlier page ended. */
  readonly cursor?: string | undefined
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[]
  /** Absent when there is nothing more. */
  readonly next?: string | undefined
  /** How many records were looked at, where that is known. */
  readonly scanned?: number | undefined
}

/** Looks through what was recorded: in the files of one process, or in the database of all replicas. */
export interface AuditSearch {
  search(query: AuditQuery): Promise<AuditPage>
}
