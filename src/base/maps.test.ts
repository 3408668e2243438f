import { expect, it } from 'vitest'
import { getOrMake, groupBy } from './maps.ts'

it('makes what a map lacks, once', () => {
  const map = new Map([['a', 1]])
  expect(getOrMake(map, 'a', () => 2)).toBe(1)
  expect(getOrMake(map, 'b', () => 2)).toBe(2)
  expect(getOrMake(map, 'b', () => 3)).toBe(2)
})

it('groups items by a key, in their order', () => {
  const groups = groupBy(['one', 'two', 'three'], ({ length }) => length)
  expect([...groups]).toEqual([
    [3, ['one', 'two']],
    [5, ['three']],
  ])
})
