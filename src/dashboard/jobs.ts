import { randomUUID } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { Job } from './contract/builtins.ts'

export type Progress = Pick<Job, 'done' | 'total' | 'current'>

const REMEMBERED = 20

/** Work that was started from a page and continues without it. */
export class Jobs {
  #jobs: Job[] = []

  /** Newest first. */
  list(): readonly Job[] {
    return this.#jobs
  }

  /** Returns the id of the job; `work` returns what it did. */
  start(target: string, work: (report: (progress: Progress) => void) => Promise<string>): string {
    const job: Job = {
      job_id: randomUUID(),
      targets: [target],
      status: 'running',
      done: 0,
      total: 0,
      current: null,
      errors: [],
      created_at: now(),
      updated_at: now(),
    }
    this.#jobs = [job, ...this.#jobs].slice(0, REMEMBERED)
    const change = (news: Partial<Job>) => {
      this.#jobs = this.#jobs.map((one) =>
        one.job_id === job.job_id ? { ...one, ...news, updated_at: now() } : one,
      )
    }
    work(change).then(
      (current) => change({ status: 'done', current }),
      (error: unknown) => change({ status: 'failed', errors: [{ message: messageOf(error) }] }),
    )
    return job.job_id
  }
}

function now(): string {
  return new Date().toISOString()
}
