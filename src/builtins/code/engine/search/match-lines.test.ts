import { expect, it } from 'vitest'
import { parseCodeQuery } from '../../../../search/code/code-query.ts'
import { matchLines } from './match-lines.ts'

const LINES = [
  'import { open } from "./open.ts"',
  'const page = 1',
  'function close(page) {',
  '  return page',
  '}',
  '',
  '/** Says how often a call is tried. */',
  'function retryDelays(page) {',
  '  return [100, 200]',
  '}',
]

it.each([
  ['where are the delays of a retry of a page', 7],
  ['how are calls tried again', 6],
  ['close', 2],
  ['open a page', 0],
  ['nothing of this', undefined],
])('finds the line of %j', (query, line) => {
  expect(matchLines(LINES, parseCodeQuery(query).terms)?.best).toBe(line)
})

it('says how far lines that match as well go', () => {
  const lines = ['class Store {', '  item1() {}', '  item2() {}', '}']
  expect(matchLines(lines, parseCodeQuery('item').terms)).toEqual({ best: 1, last: 2 })
})
