import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { EMPTY_LISTING, toTool } from '../listing/listing.ts'
import { inListedForm } from './structured-content.ts'

const NAMES = { type: 'array', items: { type: 'string' } }
const WRAPPED = { type: 'object', properties: { result: NAMES }, required: ['result'] }

it.each<[string, JsonObject, 'legacy' | 'modern', [unknown, unknown]]>([
  ['was listed open and answers wrapped', NAMES, 'legacy', [{ result: ['a'] }, ['a']]],
  ['was listed open and answers open', NAMES, 'modern', [['a'], ['a']]],
  ['was listed open and answers {result}', {}, 'modern', [{ result: 1 }, { result: 1 }]],
  ['was listed wrapped and answers open', WRAPPED, 'modern', [['a'], { result: ['a'] }]],
  [
    'was listed wrapped and answers wrapped',
    WRAPPED,
    'legacy',
    [{ result: ['a'] }, { result: ['a'] }],
  ],
  ['answers with a result of its own', WRAPPED, 'modern', [{ result: ['a'] }, { result: ['a'] }]],
  ['answers with an object', { type: 'object' }, 'legacy', [{ result: 1 }, { result: 1 }]],
])('a tool that %s', (_, outputSchema, era, [structuredContent, expected]) => {
  const listing = { ...EMPTY_LISTING, tools: [toTool('s', { name: 't', outputSchema })] }
  const result = inListedForm({ structuredContent }, 't', { listing, era })
  expect(result).toEqual({ structuredContent: expected })
})

it('returns a result that is in its form as it is, and so with its text', () => {
  const result = { content: [], structuredContent: { a: 1 } }
  expect(inListedForm(result, 't', { listing: EMPTY_LISTING, era: 'legacy' })).toBe(result)
})
