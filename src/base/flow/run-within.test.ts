import { expect, it } from 'vitest'
import { TimeLimitError, runWithin } from './run-within.ts'

function forEver(): never {
  for (;;);
}

it('gives what the work gives, undefined too', () => {
  expect(runWithin(1000, () => 7)).toBe(7)
  expect(runWithin(1000, () => undefined)).toBeUndefined()
})

it('ends a loop and a regular expression that would not end', () => {
  expect(() => runWithin(20, forEver)).toThrow(TimeLimitError)
  expect(() => runWithin(20, () => /^(a|aa)+$/.test(`${'a'.repeat(80)}b`))).toThrow('20 ms')
  expect(runWithin(1000, () => 'works on')).toBe('works on')
})

it('passes errors of the work on as they are', () => {
  const error = new TypeError('wrong')
  expect(() =>
    runWithin(1000, () => {
      throw error
    }),
  ).toThrow(error)
})

it('may be used inside itself', () => {
  expect(runWithin(1000, () => [runWithin(500, () => 1), runWithin(500, () => 2)])).toEqual([1, 2])
})
