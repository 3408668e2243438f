import { expect, it } from 'vitest'
import {
  clauseNumber,
  isNextClause,
  isUnderClause,
  mayFollow,
  sectionName,
} from './clause-number.ts'

it.each([
  ['4.2.1 Risk acceptance', '4.2.1'],
  ['3 Terms and definitions', '3'],
  ['2.  The SMTP Model', '2'],
  ['Annex A (normative) Test procedures', 'A'],
  ['Appendix F.2 Routing', 'F.2'],
  ['A.1.2 Procedure', 'A.1.2'],
  ['Section 7: Records', '7'],
  ['§ 12 Storage', '12'],
  ['3.7', '3.7'],
])('reads the clause of the heading %j', (heading, clause) => {
  expect(clauseNumber(heading)).toBe(clause)
})

it.each([
  '10 days to comply',
  '2024 Roadmap',
  'Owners have 10 days to register',
  '802.11 networks',
  '3 blind mice',
  'Overview',
  'A brake that slips',
])('sees no clause in %j', (heading) => {
  expect(clauseNumber(heading)).toBeUndefined()
})

it('tells a clause under another from one that only starts with the same digits', () => {
  expect(isUnderClause('4.2.1', '4.2')).toBe(true)
  expect(isUnderClause('4.2', '4.2')).toBe(true)
  expect(isUnderClause('4.20', '4.2')).toBe(false)
})

it.each([
  ['5.10.3.3', '5.10.3.2', true],
  ['5.10.4', '5.10.3.2', true],
  ['6', '5.10.3.2', true],
  ['5.10.3.2.1', '5.10.3.2', true],
  ['5.10.3.4', '5.10.3.2', false],
  ['5.9', '5.10.3.2', false],
  ['5.10.3.2', '5.10.3.2', false],
])('knows whether %s is the very next clause after %s', (clause, last, expected) => {
  expect(isNextClause(clause, last)).toBe(expected)
})

it.each([
  ['5.12', '5.10.3', true],
  ['6.2', '5.10', true],
  ['A', '5.10', true],
  ['B.1', 'A.4', true],
  ['3.8', '22.2', false],
  ['9.1', '5.10', false],
  ['4', 'A.2', false],
])('knows whether %s may come after %s', (clause, last, expected) => {
  expect(mayFollow(clause, last)).toBe(expected)
})

it.each([
  ['4.2 Torque', 'Torque'],
  ['A.1: Limits', 'Limits'],
  ['Appendix A. Manifesto', 'Appendix A. Manifesto'],
  ['Annex A (normative)', 'Annex A (normative)'],
  ['4.2', '4.2'],
])('names the section %j without its number: %j', (title, expected) => {
  expect(sectionName(title)).toBe(expected)
})
