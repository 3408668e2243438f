import { expect, it } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { Flights } from './flights.ts'

/** Requests whose answers the test gives. */
function someFlights() {
  const flights = new Flights<string>()
  const sent: { readonly signal: Signal; readonly answer: (text: string) => void }[] = []
  const join = async (key: string, signal: Signal = new Canceller()) =>
    flights.join(key, signal, async (own) => {
      const { promise, resolve } = deferred<string>()
      sent.push({ signal: own, answer: resolve })
      return promise
    })
  return { flights, sent, join }
}

it('those who want the same at the same time share one request, others and later ones do not', async () => {
  const { sent, join } = someFlights()
  const [one, two, other] = [join('a'), join('a'), join('b')]
  expect(sent).toHaveLength(2)
  sent[0]?.answer('A')
  sent[1]?.answer('B')
  expect(await Promise.all([one, two, other])).toEqual(['A', 'A', 'B'])
  const later = join('a')
  expect(sent).toHaveLength(3)
  sent[2]?.answer('new')
  expect(await later).toBe('new')
})

it('a failure reaches all who share the request, and nobody who comes after it', async () => {
  const { flights, sent, join } = someFlights()
  const first = flights.join('a', new Canceller(), async () => Promise.reject(new Error('down')))
  const second = join('a')
  await expect(first).rejects.toThrow('down')
  await expect(second).rejects.toThrow('down')
  expect(sent).toEqual([])
  const third = join('a')
  sent[0]?.answer('up')
  expect(await third).toBe('up')
})

it('a caller that cancels leaves at once, and the request goes on for the others', async () => {
  const { sent, join } = someFlights()
  const leaving = new Canceller()
  const [left, stays] = [join('a', leaving), join('a')]
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(sent[0]?.signal.aborted).toBe(false)
  sent[0]?.answer('A')
  expect(await stays).toBe('A')
})

it('the request is aborted with its last caller, and a new caller gets a new one', async () => {
  const { sent, join } = someFlights()
  const [one, two] = [new Canceller(), new Canceller()]
  const both = [join('a', one), join('a', two)].map(async (call) =>
    call.catch((error: unknown) => error),
  )
  one.abort(new Error('first'))
  two.abort('no error')
  expect(await Promise.all(both)).toMatchObject([
    { message: 'first' },
    { code: 'CANCELLED', message: 'The call was cancelled.', cause: 'no error' },
  ])
  expect([sent[0]?.signal.aborted, sent[0]?.signal.reason]).toEqual([true, 'no error'])

  const next = join('a')
  expect(sent).toHaveLength(2)
  // The end of the old request takes nothing away from the new one.
  sent[0]?.answer('late')
  await new Promise((resolve) => setImmediate(resolve))
  const joined = join('a')
  expect(sent).toHaveLength(2)
  sent[1]?.answer('new')
  expect(await Promise.all([next, joined])).toEqual(['new', 'new'])
})

it('cancelling after the answer takes nothing from those who ask next', async () => {
  const { sent, join } = someFlights()
  const leaving = new Canceller()
  const first = join('a', leaving)
  sent[0]?.answer('A')
  await first
  const second = join('a')
  leaving.abort(new Error('left'))
  expect(sent[1]?.signal.aborted).toBe(false)
  const joined = join('a')
  expect(sent).toHaveLength(2)
  sent[1]?.answer('B')
  expect(await Promise.all([second, joined])).toEqual(['B', 'B'])
})

it('nothing is sent for a caller that has left before', async () => {
  const { sent, join } = someFlights()
  const left = new Canceller()
  left.abort(new Error('left'))
  await expect(join('a', left)).rejects.toThrow('left')
  expect(sent).toEqual([])
})
