import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { testJobs } from '../../test/support/test-jobs.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { openJobs } from './open-jobs.ts'

describe('the queue in PostgreSQL', () => {
  let storage: Storage
  let databaseUrl: string
  beforeAll(async () => {
    databaseUrl = await createDatabase(inject('postgresUrl'))
    storage = await openStorage({ home: '', databaseUrl })
  })
  afterAll(async () => storage.close())
  testJobs(async (options) => openJobs(storage, options))

  it('gives each job to one of its workers, and a schedule to one of those that keep it', async () => {
    const seen: string[] = []
    const both = await Promise.all([openJobs(storage), openJobs(storage)])
    onTestFinished(async () => void (await Promise.all(both.map(async (jobs) => jobs.close()))))
    let rounds = 0
    for (const jobs of both) {
      await jobs.work('shared', async ({ id = '' }) => void seen.push(id))
      await jobs.work('round', async () => void (rounds += 1))
      jobs.every('round', 1000)
    }
    const ids = Array.from({ length: 20 }, (_, n) => `job-${n}`)
    const begun = Date.now()
    await Promise.all(ids.map(async (id, n) => both[n % 2]?.add('shared', { id })))
    await expect.poll(() => seen.length).toBe(20)
    expect(seen.toSorted()).toEqual(ids.toSorted())
    await expect.poll(() => rounds).toBeGreaterThan(1)
    expect(rounds).toBeLessThanOrEqual(Math.ceil((Date.now() - begun) / 1000) + 2)
  })
})
