import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { turn } from './turn.ts'

it('answers requests of the gateway itself in separate passes of the event loop', async () => {
  let pass = 0
  const count = () => {
    pass++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const answered = new Set<number>()
  const ask = turn()(async () => (answered.add(pass), {}))
  await Promise.all(Array.from({ length: 5 }, async () => ask(aCall())))
  clearImmediate(counting)
  expect(answered.size).toBe(5)
})
