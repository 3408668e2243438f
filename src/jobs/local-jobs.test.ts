import { describe, expect, it, onTestFinished } from 'vitest'
import { testJobs } from '../../test/support/test-jobs.ts'
import { createLocalJobs } from './local-jobs.ts'

describe('the queue of one process', () => {
  testJobs(async (options) => createLocalJobs(options))

  it('does a job that is added at the moment at which the last one ends', async () => {
    for (let steps = 0; steps < 12; steps += 1) {
      const jobs = createLocalJobs()
      onTestFinished(async () => jobs.close())
      const seen: string[] = []
      const addLater = async () => {
        for (let step = 0; step < steps; step += 1) await Promise.resolve()
        await jobs.add('last', { id: 'late' })
      }
      await jobs.work('last', async ({ id = '' }) => {
        seen.push(id)
        if (id === 'first') void addLater()
      })
      await jobs.add('last', { id: 'first' })
      await expect.poll(() => seen).toEqual(['first', 'late'])
    }
  })
})
