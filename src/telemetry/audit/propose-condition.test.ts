import { expect, it } from 'vitest'
import { proposeCondition } from './propose-condition.ts'

const calls = (...values: readonly unknown[]) => values.map((value) => ({ value }))
const proposed = (...values: readonly unknown[]) => {
  const { properties } = proposeCondition(calls(...values)) ?? {}
  return properties
}

it.each([
  [
    'a folder',
    ['/a/b/1', '/a/b/2', '/a/b/c/3', '/a/b/4', '/x/5'],
    { type: 'string', within: '/a/b' },
  ],
  ['no folder of all', ['/a/1', '/b/2', '/c/3', '/d/4', '/e/5'], undefined],
  [
    'a folder, beside paths that mean something else',
    ['/a/1', '/a/2', '/a/../b', '/a/4', '/a/5'],
    { type: 'string', within: '/a' },
  ],
  [
    'hosts',
    ['https://a.com/1', 'https://a.com/2', 'https://a.com/3', 'https://a.com/4', 'https://b.com/5'],
    { type: 'string', host: ['a.com', 'b.com'] },
  ],
  ['a range', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 5_000], { type: 'number', minimum: 1, maximum: 10 }],
  ['few values', ['x', 'x', 'y', 'x', 'y'], { enum: ['x', 'y'] }],
  ['text', ['one', 'two', 'three', 'four', 'five'], undefined],
  ['too few calls', ['x', 'x', 'x', 'x'], undefined],
  ['an argument that is left out at times', ['x', 'x', 'x', 'x', undefined], undefined],
])('proposes what is usual: %s', (_, values, expected) => {
  expect(proposed(...values)).toEqual(expected && { value: expected })
})
