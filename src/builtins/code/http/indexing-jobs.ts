import type { JsonObject } from '../../../base/json/json.ts'

export type JobStatus = 'indexing' | 'stopping' | 'indexed' | 'stopped' | 'error'

export interface IndexingJob {
  readonly index_name: string
  readonly path: string
  readonly status: JobStatus
  readonly done: number
  readonly total: number | null
  readonly started_at: string
  readonly elapsed_seconds: number
  /** The answer of `index_codebase`. */
  readonly result: JsonObject | null
  readonly error: string | null
}

export interface JobNews {
  readonly done: number
  readonly total: number | null
}

export type IndexingWork = (
  signal: AbortSignal,
  report: (news: JobNews) => void,
) => Promise<JsonObject>

interface Running {
  job: IndexingJob
  readonly canceller: AbortController
  readonly startedMs: number
}

/** Indexing jobs that outlive the request that started them; the last job of each index is kept. */
export class IndexingJobs {
  readonly #jobs = new Map<string, Running>()
  readonly #onEnd: (job: IndexingJob) => void

  constructor(onEnd: (job: IndexingJob) => void) {
    this.#onEnd = onEnd
  }

  list(): IndexingJob[] {
    return [...this.#jobs.values()].map(toJob)
  }

  get(name: string): IndexingJob | undefined {
    const running = this.#jobs.get(name)
    return running && toJob(running)
  }

  isActive(name: string): boolean {
    const status = this.#jobs.get(name)?.job.status
    return status === 'indexing' || status === 'stopping'
  }

  start(name: string, path: string, work: IndexingWork): void {
    const running: Running = {
      canceller: new AbortController(),
      startedMs: performance.now(),
      job: {
        index_name: name,
        path,
        status: 'indexing',
        done: 0,
        total: null,
        started_at: new Date().toISOString(),
        elapsed_seconds: 0,
        result: null,
        error: null,
      },
    }
    this.#jobs.set(name, running)
    const change = (news: Partial<IndexingJob>): void => {
      running.job = { ...running.job, ...news }
    }
    const end = (news: Partial<IndexingJob>): void => {
      change({ ...news, elapsed_seconds: secondsOf(running) })
      this.#onEnd(running.job)
    }
    const { signal } = running.canceller
    work(signal, change).then(
      (result) =>
        end(
          result['success'] === true
            ? { status: 'indexed', result }
            : { status: 'error', result, error: String(result['error']) },
        ),
      (error: unknown) => {
        const { message } = error instanceof Error ? error : new Error(String(error))
        end(
          signal.aborted
            ? { status: 'stopped', error: 'Indexing was stopped' }
            : { status: 'error', error: message },
        )
      },
    )
  }

  /** Asks a job to end between two files; returns false if none is active. */
  stop(name: string): boolean {
    const running = this.#jobs.get(name)
    if (!running || !this.isActive(name)) return false
    running.job = { ...running.job, status: 'stopping' }
    running.canceller.abort(new Error('Indexing was stopped'))
    return true
  }

  close(): void {
    for (const name of this.#jobs.keys()) this.stop(name)
  }
}

function toJob(running: Running): IndexingJob {
  const { job } = running
  const isOver = job.status !== 'indexing' && job.status !== 'stopping'
  return isOver ? job : { ...job, elapsed_seconds: secondsOf(running) }
}

function secondsOf({ startedMs }: Running): number {
  return Math.round(performance.now() - startedMs) / 1_000
}
