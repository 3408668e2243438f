import { expect, it } from 'vitest'
import { formatPageLabels, labelOfPage } from './page-labels.ts'

it.each([
  [['i', 'ii', '1', '2', '3'], '1=i 2=ii 3=1'],
  [['A-1', 'A-2', 'B-1', ''], '1=A-1 3=B-1 4='],
  [['Cover page', '1', '007', '008', '9'], '1=Cover%20page 2=1 3=007 4=008'],
])('says the printed number of each page of %j', (labels, runs) => {
  expect(formatPageLabels(labels)).toBe(runs)
  expect(labels.map((_, at) => labelOfPage(runs, at + 1))).toEqual(labels)
})

it('says nothing where pages are numbered as in the file', () => {
  expect(formatPageLabels(['1', '2', '3'])).toBeUndefined()
  expect(formatPageLabels(null)).toBeUndefined()
})

it('says nothing where a label for each page is too much to keep', () => {
  const labels = Array.from({ length: 3_000 }, (_, at) => `page-${at}-of-many`)
  expect(formatPageLabels(labels)).toBeUndefined()
})

it('keeps labels of a damaged file readable', () => {
  expect(formatPageLabels(['\uD800', '1'])).toBe('1=%EF%BF%BD 2=1')
})
