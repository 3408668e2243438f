import { expect, it } from 'vitest'
import { startJob } from './start-job.ts'

it('says that nothing was started where the built-in server is not available', async () => {
  const off = { available: false, reason: 'not_configured', message: 'Off', hint: 'On' } as const
  expect(await startJob(Promise.resolve(off))).toBe(false)
})

it('says that nothing was started where the request failed', async () => {
  expect(await startJob(Promise.reject(new Error('gone')))).toBe(false)
})
