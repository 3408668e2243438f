import { randomUUID } from 'node:crypto'
import { claimJob, findJob, insertJob, updateJob } from '../../../storage/knowledge/jobs.ts'
import type { JobRow } from '../../../storage/tables/knowledge-tables.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import type { IngestOutcome } from './ingest-item.ts'
import { type IngestOptions, ingestJob } from './ingest-options.ts'
import { type IngestTools, type JobProgress, runJob } from './run-job.ts'

export interface IngestQueueOptions extends IngestTools {
  /** How long a silent worker is believed to be alive. */
  readonly leaseMs?: number
}

export interface JobWatch {
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: JobProgress): void
}

const ERRORS_KEPT = 100

/**
 * Jobs live in the database, so one that was under way when its process died is taken up by the next:
 * documents already stored are recognised by their content and passed over.
 */
export class IngestQueue {
  readonly #options: IngestQueueOptions
  readonly #owner = `${process.pid}-${randomUUID()}`
  readonly #cancelled = new Set<string>()
  readonly #leaseMs: number
  #working: Promise<void> | undefined
  #more = false
  #closed = false

  constructor(options: IngestQueueOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? 30_000
  }

  async add(targets: readonly string[], options: IngestOptions): Promise<string> {
    const job = newJob(targets, options)
    await insertJob(this.#db, job)
    this.start()
    return job.id
  }

  /** Does a job now and stays with it to the end; it is written down first, so that a crash loses nothing. */
  async run(
    targets: readonly string[],
    options: IngestOptions,
    watch: JobWatch = {},
  ): Promise<{ readonly id: string; readonly outcomes: readonly IngestOutcome[] }> {
    const lease = { status: 'running', owner: this.#owner } as const
    const job: JobRow = {
      ...newJob(targets, options),
      ...lease,
      lease_until: Date.now() + this.#leaseMs,
    }
    await insertJob(this.#db, job)
    return { id: job.id, outcomes: await this.#take(job, watch) }
  }

  /** Works off what waits, including what another process left behind. */
  start(): void {
    this.#more = true
    // A database that is away now loses no job: they wait in it until the next start.
    this.#working ??= this.#work()
      .catch(() => {})
      .finally(() => (this.#working = undefined))
  }

  async cancel(id: string): Promise<boolean> {
    const job = await findJob(this.#db, id)
    if (!job || (job.status !== 'queued' && job.status !== 'running')) return false
    this.#cancelled.add(id)
    await updateJob(this.#db, id, { status: 'cancelled', updated_at: Date.now() })
    return true
  }

  /** Finishes the document at hand and leaves the rest of the job to the next process. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
  }

  get #db() {
    return this.#options.store.storage.db
  }

  async #work(): Promise<void> {
    while (this.#more && !this.#closed) {
      this.#more = false
      const job = await claimJob(this.#db, this.#owner, Date.now(), this.#leaseMs)
      if (!job) continue
      this.#more = true
      await this.#take(job)
    }
  }

  async #take(job: JobRow, watch: JobWatch = {}): Promise<IngestOutcome[]> {
    const errors: object[] = []
    const note = async (change: Partial<JobRow>) =>
      updateJob(this.#db, job.id, {
        ...change,
        lease_until: Date.now() + this.#leaseMs,
        updated_at: Date.now(),
      })
    // A long document must not look like a dead worker.
    const alive = setInterval(() => void note({}).catch(() => {}), this.#leaseMs / 3)
    try {
      const outcomes = await runJob(readJob(job), this.#options, {
        stops: () => this.#closed || this.#cancelled.has(job.id) || watch.signal?.aborted === true,
        report: async (progress) => {
          watch.onProgress?.(progress)
          const { done, failed, total, current, outcome } = progress
          if (outcome?.error && errors.length < ERRORS_KEPT) errors.push(described(outcome))
          if (outcome)
            await note({ done, failed, total, current, errors_json: JSON.stringify(errors) })
        },
      })
      // A job cut short by closing stays as it is, for the next process to take up.
      if (!this.#closed)
        await note({ status: this.#ending(job.id, outcomes, watch), current: null })
      return outcomes
    } finally {
      clearInterval(alive)
    }
  }

  #ending(id: string, outcomes: readonly IngestOutcome[], { signal }: JobWatch): JobRow['status'] {
    if (this.#cancelled.delete(id) || signal?.aborted) return 'cancelled'
    const failed = outcomes.length > 0 && outcomes.every(({ status }) => status === 'failed')
    return failed ? 'failed' : 'done'
  }
}

function described({ location, error }: IngestOutcome): object {
  const { code, message, suggestion } = error ?? new KnowledgeError('internal_error', 'unknown')
  return { location, code, message, suggestion }
}

function readJob({ targets_json, options_json }: JobRow) {
  return ingestJob.parse({ targets: JSON.parse(targets_json), options: JSON.parse(options_json) })
}

function newJob(targets: readonly string[], options: IngestOptions): JobRow {
  const now = Date.now()
  return {
    id: randomUUID(),
    targets_json: JSON.stringify(targets),
    options_json: JSON.stringify(options),
    status: 'queued',
    total: 0,
    done: 0,
    failed: 0,
    current: null,
    errors_json: '[]',
    owner: null,
    lease_until: 0,
    created_at: now,
    updated_at: now,
  }
}
