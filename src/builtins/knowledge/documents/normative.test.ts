import { describe, expect, it } from 'vitest'
import { keywordStyle } from './keyword-style.ts'
import { normativeState, statedIn } from './normative.ts'

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

it.each([
  ['The pump must stop.', true, 'requirement'],
  ['Files are not allowed in this place.', true, 'requirement'],
  ['Each name should be short.', true, 'recommendation'],
  ['A name may be long.', false, 'permission'],
  ['Should the file exist, it is read.', null, null],
  ['If a file must be elsewhere, it is moved.', null, null],
  ['This is about hooks that must be approved.', null, null],
])('judges %j where lower-case words bind', (text, normative, obligation) => {
  expect(normativeState(text, [], 'lowercase')).toEqual({ normative, obligation })
})

it('hears no order in code, in licences, in notes or in words that are only spoken about', () => {
  const licence = 'IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM.'
  const code = 'Run:\n\n```\necho you MUST\n```'
  const boilerplate = 'The words "MUST" and "SHALL" are explained in RFC 2119.'
  for (const text of [licence, code, boilerplate, 'NOTE It MUST hold.']) {
    expect(normativeState(text, []).obligation).toBe(null)
  }
  expect(normativeState(`${licence}\nThe rope SHALL hold.`, []).obligation).toBe('requirement')
  expect(normativeState('It must hold.', ['3.1 Ropes', 'Rationale'], 'lowercase').normative).toBe(
    false,
  )
})

function style(text: string, isStandard = false): string {
  return keywordStyle([{ kind: 'paragraph', text }], isStandard)
}

describe('the style of a document', () => {
  const drafted = 'The rope shall hold the load. '.repeat(5)

  it('is lower case where it binds so throughout, whatever a licence shouts', () => {
    expect(style(drafted)).toBe('lowercase')
    expect(style(`${drafted}\nNO PART OF IT SHALL BE REPRODUCED BY ANYONE AT ALL.`)).toBe(
      'lowercase',
    )
    expect(style('Packages must have a name. '.repeat(8))).toBe('lowercase')
    expect(style('The words must, should and may have the meaning given here.')).toBe('lowercase')
  })

  it('is capitals where these are used, and in prose that merely says must now and then', () => {
    expect(style('Ropes MUST hold. Hooks SHALL not. '.repeat(4) + drafted)).toBe('capitals')
    const guide = `You must try this. ${'It is a good day for a walk along the sea. '.repeat(60)}`
    expect(style(guide.repeat(6))).toBe('capitals')
    expect(style(guide, true)).toBe('lowercase')
  })
})

it('quotes the sentences that oblige, in the style of the text', () => {
  const text = 'Ropes must hold. They should be new. Hooks may be old.'
  expect(statedIn(text, ['requirement'])).toEqual(['Ropes must hold.'])
  expect(statedIn(text, ['requirement', 'recommendation'])).toHaveLength(2)
  expect(statedIn('It MUST hold. You must know.', ['requirement'])).toEqual(['It MUST hold.'])
})
