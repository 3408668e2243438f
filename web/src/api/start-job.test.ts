import { expect, it } from 'vitest'
import { startJob } from './start-job.ts'

it('says that nothing was started where the built-in server is not available', async () => {
  expect(await startJob(Promise.resolve({ available: false, message: 'The server is off' }))).toBe(
    false,
  )
})

it('says that nothing was started where the request failed', async () => {
  expect(await startJob(Promise.reject(new Error('gone')))).toBe(false)
})
