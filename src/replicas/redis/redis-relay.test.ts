import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { createRedisRelay } from './redis-relay.ts'

/** Two replicas, and whether Redis delivers the messages between them. */
function twoReplicas(delivers: (message: JsonObject) => boolean) {
  const listeners = new Map<string, (message: JsonObject) => void>()
  const open = (replica: string) =>
    createRedisRelay({
      replica,
      bus: {
        async publish(channel, message) {
          if (!delivers(message)) return 0
          listeners.get(channel)?.({ from: replica, ...message })
          return 1
        },
        subscribe(channel, listener) {
          listeners.set(channel, listener)
          return { ready: Promise.resolve(), stop: () => undefined }
        },
      },
    })
  return { asking: open('one'), holding: open('two') }
}

const continuation = { state: 's', owner: 'ada', responses: {} }
const channel = () => ({ signal: new Canceller(), notify: () => undefined })

it('says that an answer was lost, instead of waiting for it', async () => {
  const lost: JsonObject[] = []
  const { asking, holding } = twoReplicas((message) => {
    const isFirstAnswer = message['kind'] === 'answer' && lost.length === 0
    if (isFirstAnswer) lost.push(message)
    return !isFirstAnswer
  })
  holding.serve('call', async () => ({ done: true }))
  await expect(asking.forward('two', 'call', continuation, channel())).rejects.toThrow(
    'its answer was lost',
  )
  expect(lost).toMatchObject([{ text: '{"done":true}' }])
  expect(await asking.forward('two', 'call', continuation, channel())).toMatchObject({ done: true })
})

it('waits for a call that takes longer than the replicas look for each other', async () => {
  const { asking, holding } = twoReplicas(() => true)
  holding.serve('call', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2500))
    return { done: true }
  })
  expect(await asking.forward('two', 'call', continuation, channel())).toMatchObject({ done: true })
})

it('answers no call for a replica that no longer serves it, but says that it can be repeated', async () => {
  const { asking, holding } = twoReplicas(() => true)
  const stop = holding.serve('call', async () => ({ done: true }))
  stop()
  await expect(asking.forward('two', 'call', continuation, channel())).rejects.toMatchObject({
    message: expect.stringContaining('is shutting down'),
    data: { retryable: true },
  })
})
