import { expect, it } from 'vitest'
import { placeFields } from './place-fields.ts'

const pet = { properties: { name: {}, tag: {} } }

it('puts a field where the one part has it that knows it', () => {
  const schema = { properties: { id: {}, body: pet, query: { properties: { page: {} } } } }
  expect(placeFields(schema, { id: 1, name: 'Rex', page: 2 })).toEqual({
    arguments: { id: 1, body: { name: 'Rex' }, query: { page: 2 } },
    placed: [
      { path: 'body.name', from: undefined, to: 'Rex' },
      { path: 'query.page', from: undefined, to: 2 },
    ],
  })
})

it('finds a part among alternatives', () => {
  const schema = { properties: { body: { anyOf: [{ type: 'null' }, pet] } } }
  expect(placeFields(schema, { tag: 1 }).arguments).toEqual({ body: { tag: 1 } })
  expect(placeFields({ properties: { body: { anyOf: 'pet' } } }, { tag: 1 }).placed).toEqual([])
})

it.each([
  ['a schema without fields', {}, { name: 1 }],
  ['two parts that know it', { properties: { a: pet, b: pet } }, { name: 1 }],
  ['no part that knows it', { properties: { a: pet, b: true } }, { colour: 1 }],
  ['a part that has it already', { properties: { a: pet } }, { name: 1, a: { name: 2 } }],
  ['a part that is no object', { properties: { a: pet } }, { name: 1, a: 'text' }],
  ['a field that stands where it belongs', { properties: { a: pet, name: {} } }, { name: 1 }],
])('changes nothing for %s', (_, schema, given) => {
  const { arguments: args, placed } = placeFields(schema, given)
  expect(args).toBe(given)
  expect(placed).toEqual([])
})

const numbered = (prefix: string, many: number) =>
  Object.fromEntries(Array.from({ length: many }, (_, n) => [`${prefix}${n}`, n]))

it('takes time in proportion to the fields, however many are unknown', () => {
  const schema = { properties: { body: { properties: numbered('field', 100) } } }
  const given = { ...numbered('other', 50_000), ...numbered('field', 100) }
  const startedAt = performance.now()
  const { arguments: args, placed } = placeFields(schema, given)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  expect(placed).toHaveLength(100)
  expect(args).toEqual({ ...numbered('other', 50_000), body: numbered('field', 100) })
})
