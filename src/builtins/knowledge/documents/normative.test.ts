import { expect, it } from 'vitest'
import { keywordStyle, normativeState } from './normative.ts'

it.each([
  ['The brake SHALL hold.', true, 'requirement'],
  ['The hook MUST NOT be welded.', true, 'requirement'],
  ['Labels SHOULD be readable.', true, 'recommendation'],
  ['Stainless steel is OPTIONAL.', false, 'permission'],
  ['NOTE The figures follow from Annex B.', false, null],
  ['Nothing is asked here.', null, null],
])('judges %j', (text, normative, obligation) => {
  expect(normativeState(text, [])).toEqual({ normative, obligation })
})

it('takes lower-case words for the prose they are', () => {
  const prose = 'You may note that this can fail; it should not, and nobody must shout "required".'
  expect(normativeState(prose, [])).toEqual({ normative: null, obligation: null })
})

it('lets the nearest section marker decide before any keyword', () => {
  const informative = ['Annex B (informative) Figures', 'B.1 Assumptions']
  expect(normativeState('The pump SHALL stop.', informative).normative).toBe(false)
  expect(normativeState('Plain text.', ['Annex A (normative)']).normative).toBe(true)
  expect(normativeState('x', ['Annex A (normative)', 'A.1 (informative)']).normative).toBe(false)
})

it('never counts a recommendation as a requirement', () => {
  expect(normativeState('It is RECOMMENDED to heat the oil.', []).obligation).toBe('recommendation')
})

it('reads lower-case shall as binding only in a document drafted that way throughout', () => {
  expect(keywordStyle('shall '.repeat(5))).toBe('iso')
  expect(keywordStyle(`${'shall '.repeat(5)} SHALL`)).toBe('bcp14')
  expect(normativeState('The pump shall stop.', [], 'iso').obligation).toBe('requirement')
  expect(normativeState('The pump may stop.', [], 'iso').normative).toBe(null)
})
