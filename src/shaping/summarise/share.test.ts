import { expect, it } from 'vitest'
import { shareRepeats } from './share.ts'

const LONG = { name: 'a', about: 'the same long text about one owner, again and again' }
const OTHER = ['another value that occurs twice', 'and is as long as the first']

it('writes what occurs several times once, and refers to it by its number', () => {
  expect(shareRepeats({ a: LONG, b: [OTHER, LONG, 1], c: { d: OTHER }, e: 'text' })).toEqual({
    value: { a: { _ref: 0 }, b: [{ _ref: 1 }, { _ref: 0 }, 1], c: { d: { _ref: 1 } }, e: 'text' },
    shared: [LONG, OTHER],
  })
})

it('leaves alone what occurs once', () => {
  const value = { a: LONG, b: OTHER }
  expect(shareRepeats(value)).toEqual({ value, shared: [] })
  expect(shareRepeats({ ...value, c: [LONG] }).value).toEqual({
    a: { _ref: 0 },
    b: OTHER,
    c: [{ _ref: 0 }],
  })
})

it('does not count what is inside a repeat a second time', () => {
  const outer = { inner: LONG, id: 1 }
  expect(shareRepeats([outer, outer])).toEqual({
    value: [{ _ref: 0 }, { _ref: 0 }],
    shared: [outer],
  })
})

/** A list that takes so many characters as JSON. */
const ofLength = (length: number) => ['x'.repeat(length - 4)]

it('leaves alone what is shorter than sixty characters, and texts', () => {
  expect(shareRepeats([ofLength(60), ofLength(60)]).shared).toEqual([ofLength(60)])
  const short = [ofLength(59), ofLength(59), 'x'.repeat(90), 'x'.repeat(90)]
  expect(shareRepeats(short)).toEqual({ value: short, shared: [] })
  expect(shareRepeats([...short, LONG, LONG]).value).toEqual([...short, { _ref: 0 }, { _ref: 0 }])
})
