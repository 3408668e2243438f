/** What a job is about: names and ids, which any process can read. */
export type JobData = Readonly<Record<string, string>>

export interface AddOptions {
  /** A job that waits under the same key is not added again. */
  readonly key?: string
}

/**
 * Work that is done once, by whichever process has room: one at a time of each kind in every process,
 * again after a failure. What is done must bear being done twice: a worker may die just before it
 * could say that it had finished.
 */
export interface Jobs {
  /** Does jobs of this kind from now on. */
  work(kind: string, run: (data: JobData) => Promise<void>): Promise<void>
  add(kind: string, data: JobData, options?: AddOptions): Promise<void>
  /** Adds a job of this kind about every so often: one, however many processes ask for it. */
  every(kind: string, ms: number): void
  /** Lets the jobs at hand end; the rest waits for the next process, where the queue outlives this one. */
  close(): Promise<void>
}

export interface JobsOptions {
  /** How often a job that failed is tried again. */
  readonly retries?: number
  /** The wait before that, doubling. */
  readonly retryMs?: number
  readonly onFault?: (error: unknown, kind: string) => void
}
