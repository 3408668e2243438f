import { expect, it } from 'vitest'
import { Canceller } from './signal.ts'
import { untilAborted } from './time.ts'

it('gives what the promise gives, or the reason to stop waiting for it', async () => {
  const leaving = new Canceller()
  expect(await untilAborted(Promise.resolve(1), leaving)).toBe(1)
  const waiting = untilAborted(new Promise(() => {}), leaving)
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})

it('leaves no failure unheard when it was over before it began', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => unheard.push(reason)
  process.on('unhandledRejection', hear)
  const left = new Canceller()
  left.abort(new Error('left'))
  await expect(untilAborted(Promise.reject(new Error('down')), left)).rejects.toThrow('left')
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})
