import { expect, it } from 'vitest'
import { ExactNumber } from './exact-json.ts'
import { canonicalJson, isObject, roughBytes } from './json.ts'

it('writes equal values as equal texts, and others as other texts', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 'x' })).toBe('{"a":"x","b":[{"c":2,"d":1}]}')
  expect(canonicalJson({ a: 1, b: 2 })).not.toBe(canonicalJson({ a: 1, b: 3 }))
  expect(canonicalJson({ a: 1, b: 2 })).not.toBe(canonicalJson({ a: 1, c: 2 }))
  expect(canonicalJson([2, 1])).toBe('[2,1]')
  expect(canonicalJson({ a: 1 })).toBe('{"a":1}')
  expect(canonicalJson(undefined)).toBe('')
})

it('knows an object from what only looks like one', () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true)
  expect([[], null, undefined, 'a', 1, new ExactNumber('1.0')].some(isObject)).toBe(false)
})

it('weighs strings by their length, containers by what they hold, and the rest by a word', () => {
  expect(roughBytes('abcd')).toBe(20)
  expect(roughBytes(7)).toBe(8)
  expect(roughBytes(null)).toBe(8)
  expect(roughBytes([])).toBe(32)
  expect(roughBytes(['ab', 1])).toBe(32 + 2 * 16 + 18 + 8)
  expect(roughBytes({ a: 'ab', b: { c: true } })).toBe(32 + 2 * 16 + 18 + (32 + 16 + 8))
})

it('stops weighing once it is enough', () => {
  const texts = Array.from({ length: 10 }, () => 'x'.repeat(984))
  expect(roughBytes(texts)).toBe(10_192)
  expect(roughBytes(texts, 1_500)).toBe(2_192)
  expect(roughBytes(texts, 100)).toBe(192)
})
