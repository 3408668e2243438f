import { setTimeout as sleep } from 'node:timers/promises'
import type { AddOptions, JobData, Jobs, JobsOptions } from './jobs.ts'

interface QueuedJob {
  readonly data: JobData
  readonly key: string | undefined
}

/** The queue of a single process, in memory. The caller must store jobs that have to survive it. */
export function createLocalJobs(options: JobsOptions = {}): Jobs {
  const { retries = 3, retryMs = 1000, onFault = () => {} } = options
  const lanes = new Map<string, Lane>()
  const timers: NodeJS.Timeout[] = []
  const closing = new AbortController()

  function laneOf(kind: string): Lane {
    const lane = lanes.get(kind) ?? { waiting: [], run: undefined, working: undefined }
    lanes.set(kind, lane)
    return lane
  }

  function wake(kind: string): void {
    const lane = laneOf(kind)
    if (lane.run === undefined || closing.signal.aborted) return
    lane.working ??= workOff(kind, lane, lane.run).finally(() => {
      lane.working = undefined
      // A job may have been added since the queue was found empty.
      if (lane.waiting.length > 0) wake(kind)
    })
  }

  async function workOff(kind: string, lane: Lane, run: Run): Promise<void> {
    for (let job = lane.waiting.shift(); job; job = lane.waiting.shift()) {
      if (closing.signal.aborted) return
      await attempt(kind, run, job.data)
    }
  }

  async function attempt(kind: string, run: Run, data: JobData): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await run(data)
      } catch (error) {
        if (tries === retries || closing.signal.aborted) return onFault(error, kind)
        const { signal } = closing
        await sleep(retryMs * 2 ** tries, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  }

  async function add(kind: string, data: JobData, { key }: AddOptions = {}): Promise<void> {
    const { waiting } = laneOf(kind)
    if (key === undefined || waiting.every((job) => job.key !== key)) waiting.push({ data, key })
    wake(kind)
  }

  return {
    async work(kind, run) {
      laneOf(kind).run = run
      wake(kind)
    },
    add,
    every(kind, ms) {
      timers.push(setInterval(() => void add(kind, {}, { key: 'every' }), ms).unref())
    },
    async close() {
      closing.abort()
      for (const timer of timers) clearInterval(timer)
      await Promise.all([...lanes.values()].map(async ({ working }) => working))
    },
  }
}

type Run = (data: JobData) => Promise<void>

interface Lane {
  readonly waiting: QueuedJob[]
  run: Run | undefined
  working: Promise<void> | undefined
}
