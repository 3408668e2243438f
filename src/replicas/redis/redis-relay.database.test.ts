import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { createRedisRelay } from './redis-relay.ts'

const [one, other] = await twoReplicas()

it('sends nothing for a client that has left already', async () => {
  const asked: string[] = []
  const holder = createRedisRelay(other)
  holder.serve('call', async ({ state }) => {
    asked.push(state)
    return {}
  })
  const relay = createRedisRelay(one)
  const forward = async (state: string, signal: Canceller) =>
    relay.forward(
      holder.replica,
      'call',
      { state, owner: 'ada', responses: {} },
      {
        signal,
        notify: () => undefined,
      },
    )
  const left = new Canceller()
  left.abort(new Error('The client left'))
  await expect(forward('left', left)).rejects.toThrow('The client left')
  await expect
    .poll(async () => forward('here', new Canceller()).then(() => asked))
    .toContain('here')
  await sleep(100)
  expect(asked).not.toContain('left')
})
