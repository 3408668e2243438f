import { array, assert, constantFrom, property } from 'fast-check'
import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

it('shows what changed, with a little of what is around it', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n')
  const after = ['a', 'B', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].join('\n')
  expect(lineDiff(before, after, 1)).toEqual([' a', '-b', '+B', ' c', '…', ' h', '+i'])
  expect(lineDiff(before, before)).toEqual([])
})

it('always tells both texts whole', () => {
  const text = array(constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  assert(
    property(text, text, (old, fresh) => {
      const lines = lineDiff(old.join('\n'), fresh.join('\n'), Infinity)
      const side = (skip: string) =>
        lines.filter((line) => line[0] !== skip).map((line) => line.slice(1))
      const isSame = old.join('\n') === fresh.join('\n')
      expect(isSame || side('+').join('\n') === old.join('\n')).toBe(true)
      expect(isSame || side('-').join('\n') === fresh.join('\n')).toBe(true)
    }),
  )
})
