import { expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { selects } from './import-api.ts'

const operation = (id: string) =>
  ({ id, path: '/pets/{id}', method: 'get', tags: ['pets'] }) as const

it.each([
  ['listPets', true],
  ['LIST*', true],
  ['GET /pets/*', true],
  ['/pets/{id}', true],
  ['tag:p*', true],
  ['list', false],
  ['list?ets', false],
])('include %s selects listPets: %s', (pattern, expected) => {
  expect(selects(operation('listPets'), { include: [pattern] })).toBe(expected)
  expect(selects(operation('listPets'), { exclude: [pattern] })).toBe(!expected)
})

it('answers for a pattern made to back up', () => {
  const include = [`${'*a'.repeat(24)}*b`]
  const selected = (id: string) => runWithin(5000, () => selects(operation(id), { include }))
  expect(selected(`${'a'.repeat(100)}c`)).toBe(false)
  expect(selected(`${'a'.repeat(100)}b`)).toBe(true)
})
