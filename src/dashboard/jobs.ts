import { randomUUID } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { Job } from './contract/builtins.ts'

export interface Progress {
  readonly done: number
  readonly total: number | null
  readonly message: string | null
}

const REMEMBERED = 20

/** Work that was started from a page and continues without it. */
export class Jobs {
  #jobs: Job[] = []

  /** Newest first. */
  list(): readonly Job[] {
    return this.#jobs
  }

  start(title: string, work: (report: (progress: Progress) => void) => Promise<string>): Job {
    const job: Job = {
      id: randomUUID(),
      title,
      state: 'running',
      done: 0,
      total: null,
      message: null,
      error: null,
      startedAt: new Date().toISOString(),
      endedAt: null,
    }
    this.#jobs = [job, ...this.#jobs].slice(0, REMEMBERED)
    const change = (news: Partial<Job>) => {
      this.#jobs = this.#jobs.map((one) => (one.id === job.id ? { ...one, ...news } : one))
    }
    const end = (news: Partial<Job>) => change({ ...news, endedAt: new Date().toISOString() })
    work(change).then(
      (message) => end({ state: 'done', message }),
      (error: unknown) => end({ state: 'failed', error: messageOf(error) }),
    )
    return job
  }
}
