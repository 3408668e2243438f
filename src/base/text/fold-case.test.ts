import { expect, it } from 'vitest'
import { foldCase } from './fold-case.ts'

it.each([
  ['eve@PARTNER.example', 'Eve@partner.EXAMPLE'],
  ['STRASSE', 'straße'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ſales', 'SALES'],
  ['É', 'e\u0301'],
  ['ǅ', 'ǆ'],
])('%s and %s are the same name', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other))
})

it.each([
  ['sales', 'sale'],
  ['e', 'é'],
  ['a-b', 'a_b'],
])('%s and %s are two names', (one, other) => {
  expect(foldCase(one)).not.toBe(foldCase(other))
})
