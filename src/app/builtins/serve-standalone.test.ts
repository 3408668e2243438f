import { expect, it } from 'vitest'
import type { FeedListener } from '../../telemetry/feed.ts'
import { untilIdle } from './serve-standalone.ts'

it('waits until nobody has called for a while', async () => {
  const listeners: (() => void)[] = []
  // What happened does not matter, only that it did.
  const feed = {
    listen(listener: FeedListener) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      listeners.push(listener as () => void)
      return () => undefined
    },
  }
  const started = performance.now()
  const idle = untilIdle(feed, 80)
  const calls = setInterval(() => listeners.forEach((heard) => heard()), 20)
  setTimeout(() => clearInterval(calls), 200)
  await idle
  expect(performance.now() - started).toBeGreaterThan(200)
})

it('waits for ever where no time is given', async () => {
  const soon = new Promise((resolve) => setTimeout(() => resolve('still waiting'), 30))
  const feed = { listen: () => () => undefined }
  expect(await Promise.race([untilIdle(feed, undefined), soon])).toBe('still waiting')
})
