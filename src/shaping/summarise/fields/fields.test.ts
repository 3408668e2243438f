import { expect, it } from 'vitest'
import { fieldScore, isName, wordsOf } from './fields.ts'

const NOTHING = { terms: new Set<string>(), required: new Set<string>() }

function ranked(fields: Record<string, unknown>, interest = NOTHING): string[] {
  const keys = Object.keys(fields)
  return keys.toSorted(
    (a, b) => fieldScore(b, fields[b], interest) - fieldScore(a, fields[a], interest),
  )
}

it('ranks what identifies a thing first, then its name, its state, amounts, times and addresses', () => {
  const fields = {
    note: 1,
    html_url: 1,
    created_at: 1,
    total_count: 1,
    status: 1,
    owner_id: 1,
    title: 1,
    id: 1,
  }
  expect(ranked(fields)).toEqual(Object.keys(fields).toReversed())
})

it('ranks a short value before a long text, that before what is nested, and null last', () => {
  const fields = { a: null, b: { x: 1 }, c: 'x'.repeat(81), d: 'x'.repeat(80) }
  expect(ranked(fields)).toEqual(['d', 'c', 'b', 'a'])
  expect(fieldScore('a', [1], NOTHING)).toBe(fieldScore('a', { x: 1 }, NOTHING))
  expect(fieldScore('a', false, NOTHING)).toBe(fieldScore('a', 'short', NOTHING))
})

it('ranks higher what the tool promises, and what the caller asks about by name or value', () => {
  const fields = { plain: 'x', other: 'Ada', openIssues: 3, promised: 'y' }
  const interest = { terms: new Set(['issues', 'ada']), required: new Set(['promised']) }
  expect(ranked(fields, interest)).toEqual(['openIssues', 'promised', 'other', 'plain'])
  expect(ranked(fields)).toEqual(['plain', 'other', 'openIssues', 'promised'])
  const long = 'a'.repeat(80)
  const terms = new Set([long, long.slice(1)])
  expect(fieldScore('x', long, { ...NOTHING, terms })).toBe(fieldScore('x', long, NOTHING))
  expect(fieldScore('x', long.slice(1), { ...NOTHING, terms })).toBeGreaterThan(
    fieldScore('x', long.slice(1), NOTHING),
  )
})

it('knows identifiers and names by how they are written', () => {
  const keys = [
    'valid',
    'userId',
    'zip-code',
    'user_id',
    'status',
    'identity',
    'names',
    'sku',
    'id',
  ]
  expect(ranked(Object.fromEntries([...keys, 'name'].map((key) => [key, 1])))).toEqual([
    'sku',
    'id',
    'name',
    'userId',
    'zip-code',
    'user_id',
    'status',
    'valid',
    'identity',
    'names',
  ])
  expect([...keys, 'name'].filter(isName)).toEqual(['name'])
})

it('takes names apart into words', () => {
  expect(wordsOf('openIssues of HTTPServer_v2')).toEqual([
    'open',
    'issues',
    'of',
    'http',
    'server',
    'v',
    '2',
  ])
  expect(wordsOf('…')).toEqual([])
})
