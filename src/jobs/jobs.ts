/** The data of a job: names and ids that any process can use. */
export type JobData = Readonly<Record<string, string>>

export interface AddOptions {
  /** A job is not added while another one with the same key waits. */
  readonly key?: string
}

/**
 * Runs each job once, in any process that is free: one job of each kind at a time per process, with
 * retries after a failure. Jobs must be idempotent: a worker may die before it reports the end.
 */
export interface Jobs {
  /** Runs jobs of this kind from now on. */
  work(kind: string, run: (data: JobData) => Promise<void>): Promise<void>
  add(kind: string, data: JobData, options?: AddOptions): Promise<void>
  /** Adds a job of this kind about every `ms`: one in all, however many processes request it. */
  every(kind: string, ms: number): void
  /** Waits for running jobs; a shared queue keeps the rest for other processes. */
  close(): Promise<void>
}

export interface JobsOptions {
  /** How many times a failed job is tried again. */
  readonly retries?: number
  /** The wait before the first retry; it doubles with each further one. */
  readonly retryMs?: number
  readonly onFault?: (error: unknown, kind: string) => void
}
