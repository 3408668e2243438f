import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Jobs } from '../../../../jobs/jobs.ts'
import { scheduleConsolidation } from './schedule-consolidation.ts'

const MINUTE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A queue that takes no work while its database is down, and what was done with it. */
function aQueue() {
  const seen = { isDown: true, scheduled: 0, closed: 0, faults: 0 }
  const jobs: Jobs = {
    async work() {
      if (seen.isDown) throw new Error('the database cannot be reached')
    },
    add: async () => undefined,
    every: () => void seen.scheduled++,
    close: async () => void seen.closed++,
  }
  const work = { run: async () => undefined, onFault: () => void seen.faults++ }
  return { seen, jobs, work }
}

it('is tried again after a failure, until it has succeeded once', async () => {
  const { seen, jobs, work } = aQueue()
  const stop = scheduleConsolidation(async () => jobs, work)
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
  expect(seen).toMatchObject({ scheduled: 0, faults: 1 })
  seen.isDown = false
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS)
  await stop()
  expect(seen).toMatchObject({ scheduled: 1, faults: 1, closed: 1 })
})

it('stops although the queue could not be opened, and opens none for that', async () => {
  const { seen, work } = aQueue()
  let opened = 0
  const open = async (): Promise<Jobs> => {
    opened += 1
    throw new Error('cannot be opened')
  }
  await scheduleConsolidation(open, work)()
  expect(opened).toBe(0)
  const stop = scheduleConsolidation(open, work)
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
  await stop()
  expect([opened, seen.faults]).toEqual([1, 1])
})
