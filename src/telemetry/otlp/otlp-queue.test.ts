import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createOtlpQueue } from './otlp-queue.ts'

it('does not send at once again when the collector asks for a wait that no timer can hold', async () => {
  let sends = 0
  const queue = createOtlpQueue({
    maxQueue: 10,
    maxBatch: 1,
    delayMs: 1,
    send: async () => {
      sends++
      return { kind: 'later', afterMs: 1e12, error: 'busy' }
    },
    onTrouble: () => {},
  })
  queue.add('one')
  await sleep(100)
  expect(sends).toBe(1)
})
