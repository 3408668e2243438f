/** One line of the audit record, with the field names of the file. */
export interface AuditRecord {
  readonly [name: string]: unknown
}

export interface AuditQuery {
  readonly agent?: string | undefined
  /** The folder that the call was made in. */
  readonly folder?: string | undefined
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly decision?: string | undefined
  /** Such as `tools/call`; it has no column in the database. */
  readonly operation?: string | undefined
  /** Text to find anywhere in the line, in any letter case. */
  readonly text?: string | undefined
  /** Calls that have the text elsewhere: in what was kept of their arguments and results. */
  readonly ids?: readonly string[] | undefined
  /** In milliseconds since the epoch; `since` is inclusive, `until` exclusive. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  /** Continues where an earlier page ended. */
  readonly cursor?: string | undefined
}

interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[]
  /** Absent when there is nothing more. */
  readonly next?: string | undefined
  /** How many records were examined, if known. */
  readonly scanned?: number | undefined
}

/** Searches the audit record: the files of one process, or the database of all replicas. */
export interface AuditSearch {
  search(query: AuditQuery): Promise<AuditPage>
}
