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
