import { expect, it } from 'vitest'
import { sectionName } from './citation.ts'

it.each([
  ['4.2 Torque', 'Torque'],
  ['A.1: Limits', 'Limits'],
  ['Appendix A. Manifesto', 'Appendix A. Manifesto'],
  ['Annex A (normative)', 'Annex A (normative)'],
  ['4.2', '4.2'],
])('names the section %j in a citation %j', (title, expected) => {
  expect(sectionName(title)).toBe(expected)
})
