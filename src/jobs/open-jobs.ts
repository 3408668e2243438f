import type { Storage } from '../storage/storage.ts'
import type { Jobs, JobsOptions } from './jobs.ts'
import { createLocalJobs } from './local-jobs.ts'

/** The queue that goes with a database: shared where the database is, in this process otherwise. */
export async function openJobs(storage: Storage, options: JobsOptions = {}): Promise<Jobs> {
  if (storage.engine === 'sqlite') return createLocalJobs(options)
  return (await import('./postgres-jobs.ts')).createPostgresJobs(storage, options)
}
