import type { Storage } from '../storage/storage.ts'
import type { Jobs, JobsOptions } from './jobs.ts'
import { createLocalJobs } from './local-jobs.ts'

/** Opens the queue for a database: shared for PostgreSQL, in this process for SQLite. */
export async function openJobs(storage: Storage, options: JobsOptions = {}): Promise<Jobs> {
  if (storage.engine === 'sqlite') return createLocalJobs(options)
  return (await import('./postgres-jobs.ts')).createPostgresJobs(storage, options)
}
