import { expect, it } from 'vitest'
import { GivenNames } from './given-names.ts'

const ref = (server: string, name: string) => ({ server, name })

it('a name that was given keeps its meaning and is free for nothing else', () => {
  const names = new GivenNames()
  expect(names.isFreeFor('x', ref('a', 'x'))).toBe(true)
  names.give('x', ref('a', 'x'))
  names.give('x', ref('b', 'x'))
  expect(names.find('x')).toEqual(ref('a', 'x'))
  expect(names.isFreeFor('x', ref('a', 'x'))).toBe(true)
  expect(names.isFreeFor('x', ref('b', 'x'))).toBe(false)
  expect(names.isFreeFor('x', ref('a', 'y'))).toBe(false)
})

it('a renamed server takes its own names along, and nobody else’s', () => {
  const names = new GivenNames()
  names.give('x', ref('a', 'x'))
  names.give('y', ref('b', 'y'))
  names.rename('a', 'c')
  expect([names.find('x'), names.find('y')]).toEqual([ref('c', 'x'), ref('b', 'y')])
})

it('past fifty thousand, the name that was given first is forgotten', () => {
  const names = new GivenNames()
  for (let n = 0; n < 50_000; n++) names.give(`t${n}`, ref('a', `t${n}`))
  expect(names.find('t0')).toEqual(ref('a', 't0'))
  names.give('more', ref('a', 'more'))
  expect([names.find('t0'), names.find('t1'), names.find('more')]).toEqual([
    undefined,
    ref('a', 't1'),
    ref('a', 'more'),
  ])
})

it('a name that was learned is nobody else’s, and is stored again only once it is used', () => {
  let changes = 0
  const names = new GivenNames(() => changes++)
  names.learn('x', ref('a', 'x'))
  names.learn('y', ref('a', 'y'))
  expect([names.isFreeFor('x', ref('b', 'x')), names.isFreeFor('x', ref('a', 'x'))]).toEqual([
    false,
    true,
  ])
  expect([[...names.toStore()], changes]).toEqual([[], 0])
  expect(names.find('x')).toEqual(ref('a', 'x'))
  names.give('y', ref('b', 'y'))
  expect(Object.fromEntries(names.toStore())).toEqual({ x: ref('a', 'x'), y: ref('a', 'y') })
  expect(changes).toBe(2)
  names.rename('a', 'c')
  expect(names.find('y')).toEqual(ref('c', 'y'))
})

it('what this process has given itself is not changed by what it learns', () => {
  const names = new GivenNames()
  names.give('x', ref('a', 'x'))
  const { revision } = names
  names.learn('x', ref('b', 'x'))
  expect(names.find('x')).toEqual(ref('a', 'x'))
  expect(names.revision).toBe(revision)
  names.learn('y', ref('b', 'y'))
  expect(names.revision).not.toBe(revision)
})

it.each([
  ['a__x', ref('a', 'x'), []],
  ['x', ref('a', 'x'), ['x']],
  ['a__x_1f2e3d', ref('a', 'x'), ['a__x_1f2e3d']],
  ['b__x', ref('a', 'x'), ['b__x']],
  ['a__b__x', ref('a', 'b__x'), ['a__b__x']],
  ['a___x', ref('a_', 'x'), ['a___x']],
])('%s is stored where it does not say itself what it means', (name, meant, stored) => {
  const names = new GivenNames()
  names.give(name, meant)
  expect([...names.toStore()].map(([each]) => each)).toEqual(stored)
})
