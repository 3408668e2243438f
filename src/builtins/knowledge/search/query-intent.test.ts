import { expect, it } from 'vitest'
import { queryIntent } from './query-intent.ts'

it.each([
  ['what does clause 5.2.1 demand', ['5.2.1']],
  ['Annex A procedures', ['A']],
  ['section 7', ['7']],
  ['4.1.1 and 4.1.2', ['4.1.1', '4.1.2']],
  ['5.2', ['5.2']],
])('hears the clauses in %j', (query, clauses) => {
  expect(queryIntent(query).clauses).toEqual(clauses)
})

it.each([
  'HTTP/1.1 requests without Host',
  'TLS 1.3 handshake',
  'hold 1.5 times the load',
  '10.5 %',
])('takes the number in %j for what it is', (query) => {
  expect(queryIntent(query).clauses).toEqual([])
})

it('hears what is to be defined', () => {
  expect(queryIntent('What is a slack rope?').term).toBe('slack rope')
  expect(queryIntent('define overspeed').term).toBe('overspeed')
  expect(queryIntent('overspeed').term).toBeUndefined()
})

it('leaves the words that only ask out of the search', () => {
  expect(queryIntent('How long may the brake slip').words).not.toContain('long')
  expect(queryIntent('What is the difference between main and contrib?').words).not.toContain(
    'diff',
  )
  expect(queryIntent('Differences between version 1 and 2').words).toContain('Differences')
})
