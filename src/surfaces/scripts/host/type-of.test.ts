import { expect, it } from 'vitest'
import { typeOf } from './type-of.ts'

it.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ enum: ['open', 'closed', 3] }, '"open" | "closed" | 3'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { const: 1 }] } }, '(string | 1)[]'],
  [
    {
      type: 'object',
      properties: { id: { type: 'integer' }, 'with-dash': { type: 'boolean' } },
      required: ['id'],
    },
    '{ id: number; "with-dash"?: boolean }',
  ],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [{ type: 'object', additionalProperties: false }, '{}'],
  [
    { type: 'array', items: { $ref: '#/$defs/node' }, $defs: { node: { type: 'string' } } },
    'string[]',
  ],
  [{}, 'unknown'],
  [undefined, 'unknown'],
])('writes %j as %s', (schema, expected) => {
  expect(typeOf(schema)).toBe(expected)
})

it('ends where a schema does not', () => {
  const tree = { type: 'object', properties: { child: { $ref: '#' } } }
  expect(typeOf(tree)).toMatch(/^(\{ child\?: )+unknown( \})+$/)
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, {}]))
  expect(typeOf({ type: 'object', properties: wide })).toContain('/* 60 more */')
})
