import { expect, it } from 'vitest'
import { fieldsOf, hasLongNumber, kindOf, resolve, startingWith, withField } from './schema.ts'

const ROOT = {
  type: 'object',
  required: ['id', 'where', 'mode'],
  properties: {
    note: { type: 'string' },
    id: { type: 'integer' },
    where: { $ref: '#/$defs/Place' },
    mode: { enum: ['fast', 'slow'] },
    limit: { type: 'integer', default: 10 },
    parent: { anyOf: [{ $ref: '#/$defs/Place' }, { type: 'null' }], description: 'Above it' },
  },
  $defs: {
    Place: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, inside: { $ref: '#/$defs/Place' } },
    },
  },
}

it('has required parameters first, each group in its order', () => {
  const names = fieldsOf(ROOT).map(({ name }) => name)
  expect(names).toEqual(['id', 'where', 'mode', 'note', 'limit', 'parent'])
})

it('starts with what is required and with defaults, and with nothing else', () => {
  expect(startingWith(ROOT, ROOT)).toEqual({ where: { city: '' }, mode: 'fast', limit: 10 })
})

it('follows references, and sees through a choice between one form and null', () => {
  const parent = resolve(ROOT.properties.parent, ROOT)
  expect(parent).toMatchObject({ type: 'object', description: 'Above it' })
  expect(kindOf(parent, 0)).toBe('object')
  expect(kindOf(parent, 4), 'a schema within itself ends as JSON').toBe('json')
  expect(resolve({ $ref: '#/$defs/Missing' }, ROOT)).toEqual({})
  const loop = { $defs: { A: { $ref: '#/$defs/A' } } }
  expect(resolve({ $ref: '#/$defs/A' }, loop)).toHaveProperty('$ref')
})

it.each([
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'number' }, 'number'],
  [{ type: 'boolean' }, 'switch'],
  [{ const: 3 }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'list'],
  [{ type: 'array' }, 'json'],
  [{ type: 'object' }, 'json'],
  [{ type: ['string', 'number'] }, 'json'],
  [{}, 'json'],
])('shows %j as %s', (schema, kind) => {
  expect(kindOf(schema, 0)).toBe(kind)
})

it('sets, replaces in its place, and leaves out a field', () => {
  const values = { a: 1, b: 2 }
  expect(Object.entries(withField(values, 'a', 3))).toEqual([
    ['a', 3],
    ['b', 2],
  ])
  expect(withField(values, 'a', undefined)).toEqual({ b: 2 })
  expect(withField(values, 'c', null)).toEqual({ a: 1, b: 2, c: null })
})

it('knows numbers that JavaScript would round', () => {
  expect(hasLongNumber('{"n": 12345678901234567890}')).toBe(true)
  expect(hasLongNumber('{"n": 0.1000000000000000055}')).toBe(true)
  expect(hasLongNumber('{"n": 123456, "text": "12345678901234567890"}')).toBe(false)
})
