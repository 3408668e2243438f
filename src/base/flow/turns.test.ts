import { expect, it } from 'vitest'
import { Canceller } from './signal.ts'
import { Turns } from './turns.ts'

const GOING_ON = new Canceller()
const nextPass = async () => new Promise((resolve) => setImmediate(resolve))

it('lets the event loop run between pieces of work', async () => {
  const turns = new Turns()
  const begun: number[] = []
  const pieces = Array.from({ length: 5 }, async (_, at) => {
    await turns.take('ada', GOING_ON)
    begun.push(at)
  })
  const seen: number[] = []
  while (begun.length < pieces.length) {
    await nextPass()
    seen.push(begun.length)
  }
  // The first piece began at once.
  expect(seen).toEqual([2, 3, 4, 5])
})

it('does not delay the only piece of a pass', async () => {
  const turns = new Turns()
  expect(turns.take('ada', GOING_ON)).toBeUndefined()
  await nextPass()
  expect(turns.take('ada', GOING_ON)).toBeUndefined()
})

it('owners take turns, however many pieces one of them asked for', async () => {
  const turns = new Turns()
  const order: string[] = []
  const piece = async (owner: string) => {
    await turns.take(owner, GOING_ON)
    order.push(owner)
  }
  const crowd = Array.from({ length: 6 }, async () => piece('mallory'))
  await Promise.all([...crowd, piece('ada'), piece('bob')])
  expect(order.slice(0, 4)).toEqual(['mallory', 'mallory', 'ada', 'bob'])
})

it('a piece whose caller has left is not run', async () => {
  const turns = new Turns()
  const left = new Canceller()
  void turns.take('ada', left)
  const waiting = turns.take('ada', left)
  left.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})
