import { expect, it, onTestFinished, vi } from 'vitest'
import { anUpstream } from '../../test/support/a-call.ts'
import { listServers } from './unlisted.ts'

const HOUR_MS = 3_600_000

it('waits once for a server that does not answer, even if the clock is set back', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const server = anUpstream({ list: async () => new Promise(() => undefined) })
  const first = listServers([server], undefined)
  await vi.advanceTimersByTimeAsync(5000)
  await first
  vi.setSystemTime(Date.now() - HOUR_MS)
  let isListed = false
  const listAgain = async () => {
    await listServers([server], undefined)
    isListed = true
  }
  const second = listAgain()
  await vi.advanceTimersByTimeAsync(1)
  expect(isListed).toBe(true)
  await second
})
