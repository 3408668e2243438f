import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Jobs } from '../../../jobs/jobs.ts'
import { createLocalJobs } from '../../../jobs/local-jobs.ts'
import {
  claimJob,
  findJob,
  insertJob,
  unattendedJobs,
  updateJob,
} from '../../../storage/knowledge/jobs.ts'
import type { JobRow } from '../../../storage/tables/knowledge-tables.ts'
import { EmbedderError } from '../../../search/embed/embedder-error.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import type { SkippedFile } from '../sources/list-files.ts'
import { isAddress } from './expand-target.ts'
import type { IngestOutcome } from './ingest-item.ts'
import { type IngestOptions, ingestJob } from './ingest-options.ts'
import { type IngestTools, type JobProgress, type JobResult, placeOf, runJob } from './run-job.ts'

/** Jobs that any replica can run, because their targets are on the network. */
const ANYWHERE = 'knowledge.ingest'
/** Jobs that read local files, which only this machine may have. */
const HERE = `knowledge.ingest.${hostname().replaceAll(/[^\w-]/g, '-')}`

function kindOf(targets: readonly string[]): string {
  return targets.every(isAddress) ? ANYWHERE : HERE
}

/** Whether this machine can read all targets; a job of another one may name files on it. */
function isReadableHere(targets: readonly string[]): boolean {
  return targets.every((target) => isAddress(target) || existsSync(target))
}

export interface IngestQueueOptions extends IngestTools {
  /** How long a worker that does not renew its lease counts as alive. */
  readonly leaseMs?: number
  /** Distributes jobs; only within this process when absent. It is closed with this queue. */
  readonly jobs?: Promise<Jobs> | undefined
}

export interface JobWatch {
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: JobProgress): void
}

const ERRORS_KEPT = 100
/** How long a job waits for an unavailable embedding service; after that, a person must act. */
const RETRY_FOR_MS = 24 * 60 * 60 * 1000

/**
 * Jobs and their progress are rows of the database; the queue only decides which worker runs a job.
 * A worker claims the row first, so a job runs once however often it is enqueued. A job whose
 * process died is enqueued again when its lease expires; documents that are already stored are
 * recognised by their content and skipped.
 */
export class IngestQueue {
  readonly #options: IngestQueueOptions
  readonly #owner = `${process.pid}-${randomUUID()}`
  readonly #running = new Map<string, AbortController>()
  readonly #leaseMs: number
  readonly #jobs: Promise<Jobs>
  #looking: NodeJS.Timeout | undefined
  #started: Promise<void> | undefined
  #closed = false

  constructor(options: IngestQueueOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? 30_000
    this.#jobs = options.jobs ?? Promise.resolve(createLocalJobs())
    this.#jobs.catch(() => {})
  }

  async add(targets: readonly string[], options: IngestOptions): Promise<string> {
    const job = newJob(targets, options)
    await insertJob(this.#db, job)
    this.start()
    // The job is in the database, so if this fails, the next `#look` enqueues it again.
    await this.#enqueue(job.id, targets).catch(() => {})
    return job.id
  }

  /** Runs a job now and waits for its end; it is stored first, so that a crash loses nothing. */
  async run(
    targets: readonly string[],
    options: IngestOptions,
    watch: JobWatch = {},
  ): Promise<JobResult & { readonly id: string }> {
    const lease = { status: 'running', owner: this.#owner } as const
    const job: JobRow = {
      ...newJob(targets, options),
      ...lease,
      lease_until: Date.now() + this.#leaseMs,
    }
    await insertJob(this.#db, job)
    return { id: job.id, ...(await this.#take(job, watch)) }
  }

  /** Runs waiting jobs, including those that another process left behind. */
  start(): void {
    if (this.#started || this.#closed) return
    this.#started = this.#work()
    // Jobs are not lost while the database is unreachable: the next `#look` starts again.
    this.#started.catch(() => (this.#started = undefined))
    this.#looking ??= setInterval(() => void this.#look().catch(() => {}), this.#leaseMs).unref()
  }

  async cancel(id: string): Promise<boolean> {
    const job = await findJob(this.#db, id)
    if (!job || (job.status !== 'queued' && job.status !== 'running')) return false
    await updateJob(this.#db, id, { status: 'cancelled', updated_at: Date.now() })
    this.#running.get(id)?.abort()
    return true
  }

  /** Finishes the document at hand and leaves the rest of the job to the next process. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#looking)
    await this.#started?.catch(() => {})
    await (await this.#jobs).close()
  }

  get #db() {
    return this.#options.store.storage.db
  }

  async #work(): Promise<void> {
    const jobs = await this.#jobs
    for (const kind of [ANYWHERE, HERE])
      await jobs.work(kind, async ({ id = '' }) => {
        if (this.#closed) return
        const lease = { owner: this.#owner, now: Date.now(), leaseMs: this.#leaseMs }
        const job = await claimJob(this.#db, id, lease)
        if (job) await this.#take(job, {}, isWorthWaiting)
      })
    await this.#look()
  }

  async #enqueue(id: string, targets: readonly string[]): Promise<void> {
    await (await this.#jobs).add(kindOf(targets), { id }, { key: id })
  }

  /** Enqueues jobs that no worker has claimed and this machine can run. */
  async #look(): Promise<void> {
    if (!this.#started) return this.start()
    for (const { id, targets_json } of await unattendedJobs(this.#db, Date.now())) {
      const targets: string[] = JSON.parse(targets_json)
      if (isReadableHere(targets)) await this.#enqueue(id, targets)
    }
  }

  async #take(
    job: JobRow,
    watch: JobWatch,
    waits: (job: JobRow, result: JobResult) => boolean = () => false,
  ): Promise<JobResult> {
    const errors: object[] = []
    const note = async (change: Partial<JobRow>) =>
      updateJob(this.#db, job.id, {
        ...change,
        lease_until: Date.now() + this.#leaseMs,
        updated_at: Date.now(),
      })
    const running = new AbortController()
    this.#running.set(job.id, running)
    const signal = AbortSignal.any([running.signal, ...(watch.signal ? [watch.signal] : [])])
    // Renews the lease during long documents, and notices when another process cancels the job.
    const alive = setInterval(() => {
      void note({})
        .then(async () => findJob(this.#db, job.id))
        .then((row) => row?.status === 'cancelled' && running.abort())
        .catch(() => {})
    }, this.#leaseMs / 3)
    const noteNow = everySecond(note)
    try {
      const result = await runJob(readJob(job), this.#options, {
        signal,
        stops: () => this.#closed || signal.aborted,
        report: async (progress) => {
          watch.onProgress?.(progress)
          const { done, failed, total, outcome } = progress
          if (outcome?.error && errors.length < ERRORS_KEPT) errors.push(described(outcome))
          const change = { done, failed, total, current: placeOf(progress) }
          if (outcome) await note({ ...change, errors_json: JSON.stringify(errors) })
          else noteNow(change)
        },
      })
      // A job interrupted by closing keeps its state, for the next process to continue.
      if (!this.#closed || signal.aborted)
        await note({
          ...(waits(job, result) && !signal.aborted
            ? WAITING
            : { status: ending(result.outcomes, signal), current: null }),
          errors_json: JSON.stringify([...errors, ...skippedErrors(result.skipped, errors.length)]),
        })
      return result
    } finally {
      clearInterval(alive)
      this.#running.delete(job.id)
    }
  }
}

/**
 * The state of a background job that waits for an unavailable embedding service. Like a job whose
 * worker died, it is enqueued again when its lease expires, and stored documents are skipped.
 */
const WAITING = { status: 'running', current: 'waiting for the embedding service' } as const

function isWorthWaiting({ created_at }: JobRow, { outcomes }: JobResult): boolean {
  return (
    Date.now() - created_at < RETRY_FOR_MS &&
    outcomes.some(({ error }) => error?.recoverable && error.cause instanceof EmbedderError)
  )
}

function ending(outcomes: readonly IngestOutcome[], signal: AbortSignal): JobRow['status'] {
  if (signal.aborted) return 'cancelled'
  const failed = outcomes.length > 0 && outcomes.every(({ status }) => status === 'failed')
  return failed ? 'failed' : 'done'
}

/** Writes at most one change per second, because hundreds of pages per second may be read. */
function everySecond(note: (change: Partial<JobRow>) => Promise<unknown>) {
  let last = 0
  return (change: Partial<JobRow>): void => {
    if (Date.now() - last < 1000) return
    last = Date.now()
    void note(change).catch(() => {})
  }
}

function described({ location, error }: IngestOutcome): object {
  const { code, message, suggestion } = error ?? new KnowledgeError('internal_error', 'unknown')
  return { location, code, message, suggestion }
}

/** Returns the skipped files that still fit into the error list of a job. */
function skippedErrors(skipped: readonly SkippedFile[], errors: number): object[] {
  return skipped
    .slice(0, ERRORS_KEPT - errors)
    .map(({ location, reason }) => ({ location, code: 'skipped', message: reason }))
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
