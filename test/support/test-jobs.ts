import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { JobData, Jobs, JobsOptions } from '../../src/jobs/jobs.ts'

/** Tests that every queue must pass; each `open` connects another process to the same queue. */
export function testJobs(open: (options: JobsOptions) => Promise<Jobs>): void {
  async function aQueue(options: JobsOptions = {}): Promise<Jobs> {
    const jobs = await open({ retryMs: 10, ...options })
    onTestFinished(async () => jobs.close())
    return jobs
  }
  const settled = { timeout: 10_000 }

  it('does every job once, whether it was added before or after somebody came to do it', async () => {
    const jobs = await aQueue()
    const { seen, run } = notes()
    await jobs.add('early', { id: 'a' })
    await jobs.work('early', run)
    await jobs.add('early', { id: 'b' })
    await jobs.add('early', { id: 'c' })
    await expect.poll(() => seen.toSorted(), settled).toEqual(['a', 'b', 'c'])
    await sleep(300)
    expect(seen).toHaveLength(3)
  })

  it('tries again what failed, and gives up in the end', async () => {
    const faults: unknown[] = []
    const jobs = await aQueue({ retries: 1, onFault: (error) => faults.push(error) })
    const tries: string[] = []
    await jobs.work('failing', async ({ id = '' }) => {
      tries.push(id)
      if (id === 'never' || tries.length === 1) throw new Error('as asked')
    })
    await jobs.add('failing', { id: 'second' })
    await expect.poll(() => tries, settled).toEqual(['second', 'second'])
    await jobs.add('failing', { id: 'never' })
    await expect.poll(() => tries.length, settled).toBe(4)
    await sleep(300)
    expect(tries).toHaveLength(4)
    expect(faults.length).toBeGreaterThan(0)
  })

  it('adds what waits under the same key only once', async () => {
    const jobs = await aQueue()
    const { seen, run } = notes()
    await jobs.add('keyed', { id: 'a' }, { key: 'k' })
    await jobs.add('keyed', { id: 'again' }, { key: 'k' })
    await jobs.add('keyed', { id: 'b' }, { key: 'other' })
    await jobs.work('keyed', run)
    await expect.poll(() => seen.toSorted(), settled).toEqual(['a', 'b'])
    await sleep(300)
    await jobs.add('keyed', { id: 'later' }, { key: 'k' })
    await expect.poll(() => seen.at(-1), settled).toBe('later')
  })

  it('repeats what is to be done every so often', async () => {
    const jobs = await aQueue()
    const times: number[] = []
    await jobs.work('often', async () => void times.push(Date.now()))
    jobs.every('often', 1000)
    await expect.poll(() => times.length, settled).toBeGreaterThanOrEqual(2)
  })

  it('lets the job at hand end before it closes', async () => {
    const jobs = await open({})
    let ended = false
    let begun = false
    await jobs.work('long', async () => {
      begun = true
      await sleep(400)
      ended = true
    })
    await jobs.add('long', {})
    await expect.poll(() => begun, settled).toBe(true)
    await jobs.close()
    expect(ended).toBe(true)
  })
}

/** Returns a worker that only records its jobs. */
function notes() {
  const seen: string[] = []
  return { seen, run: async ({ id = '' }: JobData) => void seen.push(id) }
}
