import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { interestOf } from './interest.ts'

const termsOf = (args: JsonObject) => [...interestOf(args, undefined).terms]
const promised = (schema: JsonObject) => [...interestOf({}, schema).required]

it('knows what a caller looks for, and what a tool promises', () => {
  const schema = {
    required: ['items'],
    properties: { items: { items: { required: ['owner'], properties: { owner: {} } } } },
  }
  const { terms, required } = interestOf({ q: 'openIssues of Ada', deep: [{ x: 'by' }] }, schema)
  expect([...terms].toSorted()).toEqual(['ada', 'by', 'issues', 'open', 'openissues of ada'])
  expect([...required]).toEqual(['items', 'owner'])
})

it('looks at a part of what it is asked only, however much that is', () => {
  expect(termsOf({ q: null, n: 7 })).toEqual([])
  expect(termsOf({ q: `${'x'.repeat(500)}y` })).toEqual(['x'.repeat(500)])
  const words = Array.from({ length: 61 }, (_, n) => `${n}`.padStart(2, '0'))
  expect(termsOf({ words })).toEqual(words.slice(0, 60))
  const nested = (levels: number): JsonObject =>
    levels === 0 ? { q: 'deep' } : { a: nested(levels - 1) }
  expect([termsOf(nested(5)), termsOf(nested(6))]).toEqual([['deep'], []])
})

it('knows what a tool promises down to the sixth level, where that is a list of names', () => {
  const nested = (levels: number): JsonObject =>
    levels === 0 ? { required: ['deep'] } : { items: nested(levels - 1) }
  expect([promised(nested(6)), promised(nested(7))]).toEqual([['deep'], []])
  expect(promised({ required: true, properties: { a: true, b: { required: ['c'] } } })).toEqual([
    'c',
  ])
})
