import { expect, it } from 'vitest'
import { ListNumbers } from './list-numbers.ts'

const numbered = (format: string, start: number) =>
  new ListNumbers([{ start, format, text: '%1)' }]).next(0)

it.each([
  ['upperLetter', 27, 'AA)'],
  ['lowerRoman', 4, 'iv)'],
  ['upperRoman', 10 ** 12, '1000000000000)'],
  ['lowerLetter', -3, '-3)'],
  ['decimal', 0, '0)'],
  ['none', 10 ** 12, ')'],
])('labels a paragraph in the format %s from %i', (format, start, label) => {
  expect(numbered(format, start)).toBe(label)
})

it('leaves out white space around a label', () => {
  expect(new ListNumbers([{ start: 4, format: 'decimal', text: '%1 ' }]).next(0)).toBe('4')
})
