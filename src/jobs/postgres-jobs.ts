import { setTimeout as sleep } from 'node:timers/promises'
import PgBoss from 'pg-boss'
import { rawSql } from '../storage/sql/raw-sql.ts'
import type { Storage } from '../storage/storage.ts'
import type { AddOptions, JobData, Jobs, JobsOptions } from './jobs.ts'

const POLL_SECONDS = 1
/** A job that takes longer counts as dead and is given to another worker. */
const MAX_HOURS = 6
const MAINTAIN_SECONDS = 30
const ATTEMPTS = 4

/** The queue that replicas share: pg-boss, in its own schema, over the existing connections. */
export function createPostgresJobs(storage: Storage, options: JobsOptions): Jobs {
  const { retries = 3, retryMs = 1000, onFault = () => {} } = options
  const kinds = new Map<string, Promise<void>>()
  const workers = new Map<string, string>()
  const timers: NodeJS.Timeout[] = []
  let opened: Promise<PgBoss> | undefined

  async function open(): Promise<PgBoss> {
    const boss = new PgBoss({
      db: rawSql(storage),
      schema: schemaFor(storage),
      schedule: false,
      maintenanceIntervalSeconds: MAINTAIN_SECONDS,
      deleteAfterDays: 7,
    })
    boss.on('error', (error) => onFault(error, 'queue'))
    return boss.start()
  }

  /** Called with the first job or worker of a kind; the database is not used before. */
  async function prepare(kind: string): Promise<PgBoss> {
    // Replicas that start together create the same tables: one succeeds, the others try again.
    opened ??= patiently(open)
    opened.catch(() => (opened = undefined))
    const boss = await opened
    let prepared = kinds.get(kind)
    if (!prepared) {
      prepared = patiently(async () =>
        boss.createQueue(kind, {
          name: kind,
          // One job per key may wait, while any number may run.
          policy: 'short',
          retryLimit: retries,
          retryDelay: Math.max(1, Math.round(retryMs / 1000)),
          retryBackoff: true,
          expireInHours: MAX_HOURS,
        }),
      )
      kinds.set(kind, prepared)
      prepared.catch(() => kinds.delete(kind))
    }
    await prepared
    return boss
  }

  async function add(kind: string, data: JobData, { key }: AddOptions = {}): Promise<void> {
    const boss = await prepare(kind)
    // Jobs without a key are all different.
    const singletonKey = key ?? crypto.randomUUID()
    await boss.send(kind, { ...data }, { singletonKey })
    const worker = workers.get(kind)
    if (worker !== undefined) boss.notifyWorker(worker)
  }

  return {
    async work(kind, run) {
      const boss = await prepare(kind)
      const worker = await boss.work<JobData>(
        kind,
        { batchSize: 1, pollingIntervalSeconds: POLL_SECONDS },
        async ([job]) => {
          try {
            if (job) await run(job.data)
          } catch (error) {
            onFault(error, kind)
            throw error
          }
        },
      )
      workers.set(kind, worker)
    },
    add,
    every(kind, ms) {
      const singletonSeconds = Math.max(1, Math.round(ms / 1000))
      const ask = async () => {
        const boss = await prepare(kind)
        // Of all processes that add it within the same time slot, only the first succeeds.
        await boss.send(kind, {}, { singletonKey: 'every', singletonSeconds })
      }
      const quietly = () => void ask().catch((error: unknown) => onFault(error, kind))
      timers.push(setInterval(quietly, ms).unref())
    },
    async close() {
      for (const timer of timers) clearInterval(timer)
      const boss = await opened?.catch(() => undefined)
      await boss?.stop({ graceful: true, wait: true, close: false, timeout: 30_000 })
    },
  }
}

/** The schema beside that of the tables; `portolan_jobs` if they are in `public`. */
function schemaFor({ schema = 'public' }: Storage): string {
  return `${schema === 'public' ? 'portolan' : schema}_jobs`
}

async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await sleep(100 * attempt + Math.random() * 200)
    }
  }
}
