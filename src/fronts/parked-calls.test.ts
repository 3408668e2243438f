import { expect, it, onTestFinished } from 'vitest'
import { Canceller } from '../base/flow/signal.ts'
import { ParkableCall, ParkedCalls } from './parked-calls.ts'

it('makes room at the limit by dropping a call of the owner who has the most', () => {
  const parked = new ParkedCalls(3)
  onTestFinished(() => parked.abandon(new Error('The test has ended')))
  const park = (owner: string) => {
    const canceller = new Canceller()
    const call = new ParkableCall(canceller, '')
    parked.park(call, owner)
    return { call, canceller }
  }
  const ada = park('ada')
  const [first, second] = [park('bob'), park('bob')]
  park('bob')
  expect([ada, first, second].map(({ canceller }) => canceller.aborted)).toEqual([
    false,
    true,
    false,
  ])
  expect(parked.resume(ada.call.state, 'ada')).toBe(ada.call)
})
