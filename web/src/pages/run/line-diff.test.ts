import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const long = (name: string) => Array.from({ length: 1_001 }, (_, n) => `${name} ${n}`).join('\n')

it('has the changed lines, and two on each side', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].join('\n')
  expect(lineDiff(before, before.replace('d', 'D\nDD'))).toEqual([
    ' b',
    ' c',
    '-d',
    '+D',
    '+DD',
    ' e',
    ' f',
  ])
})

it('keeps lines between changes that are the same', () => {
  expect(lineDiff('1\nx\n2\nend', '3\nx\n4\nend')).toEqual(['-1', '+3', ' x', '-2', '+4', ' end'])
})

it('has only removed lines, or only added ones', () => {
  expect(lineDiff('a\nb', 'a')).toEqual([' a', '-b'])
  expect(lineDiff('b', 'a\nb')).toEqual(['+a', ' b'])
})

it('compares no texts that differ in thousands of lines', () => {
  expect(lineDiff(long('a'), long('b'))).toBeUndefined()
})
