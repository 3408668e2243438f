import { Lazy } from '../../../../base/flow/lazy.ts'
import type { Jobs } from '../../../../jobs/jobs.ts'

const CONSOLIDATION = 'traces.consolidate'
const FIRST_CYCLE_MS = 60_000
const CYCLE_CHECK_MS = 15 * 60_000

interface ScheduledWork {
  readonly run: () => Promise<unknown>
  readonly onFault: (error: unknown) => void
}

/**
 * Schedules consolidation on one replica at a time; the period is also claimed in the database.
 * Returns the function that ends it.
 */
export function scheduleConsolidation(
  openJobs: () => Promise<Jobs>,
  { run, onFault }: ScheduledWork,
): () => Promise<void> {
  const opening = new Lazy(openJobs)
  const scheduling = new Lazy(async () => {
    const jobs = await opening.get()
    await jobs.work(CONSOLIDATION, async () => void (await run()))
    await jobs.add(CONSOLIDATION, {}, { key: 'first' })
    jobs.every(CONSOLIDATION, CYCLE_CHECK_MS)
  })
  const schedule = (): void => void scheduling.get().catch(onFault)
  const timers = [
    // Delayed, because most processes that open the service end before this.
    setTimeout(schedule, FIRST_CYCLE_MS),
    // Does nothing once it has succeeded; before that, the database may have been down.
    setInterval(schedule, CYCLE_CHECK_MS),
  ]
  for (const timer of timers) timer.unref()
  return async () => {
    for (const timer of timers) clearTimeout(timer)
    await (await opening.made())?.close()
  }
}
