import { expect, it } from 'vitest'
import { Unfinished } from './unfinished.ts'

/** Up to 1 MB a message. */
function open() {
  const ended: string[] = []
  const unfinished = new Unfinished(1_000_000)
  const begin = (name: string, isKnown = false) => unfinished.begin(isKnown, () => ended.push(name))
  return { ended, begin }
}

it('ends the message that has been silent for longest when callers without a credential send too much', () => {
  const { ended, begin } = open()
  const [silent, slow, busy] = [begin('silent'), begin('slow'), begin('busy')]
  slow.received(700_000)
  silent.received(700_000)
  slow.received(100_000)
  expect(ended).toEqual([])
  busy.received(700_000)
  expect(ended).toEqual(['silent'])
})

it('leaves room for callers with a credential', () => {
  const { ended, begin } = open()
  for (let count = 0; count < 10; count++) begin(`unknown ${count}`).received(900_000)
  expect(ended).toHaveLength(8)
  for (let count = 0; count < 2; count++) begin(`known ${count}`, true).received(900_000)
  expect(ended).toHaveLength(8)
  for (let count = 0; count < 10; count++) begin(`more ${count}`, true).received(900_000)
  expect(ended.slice(8, 12)).toEqual(['unknown 8', 'unknown 9', 'known 0', 'known 1'])
})

it('does not count messages that are complete, nor small ones', () => {
  const { ended, begin } = open()
  for (let count = 0; count < 10; count++) {
    const message = begin('large')
    message.received(900_000)
    message.close()
  }
  for (let count = 0; count < 1_000; count++) begin('small').received(10_000)
  expect(ended).toEqual([])
})
