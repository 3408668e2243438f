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

it('writes a type inside itself as unknown, and what follows it in full', () => {
  const filter = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`f${n}`, { $ref: '#/$defs/filter' }]),
    ),
  }
  const properties = { filter: { $ref: '#/$defs/filter' }, limit: { type: 'integer' } }
  const written = typeOf({ type: 'object', properties, $defs: { filter } })
  expect(written).toContain('{ filter?: { f0?: unknown; ')
  expect(written).toContain('limit?: number')
})

/** Refers thirty times to the next definition. */
const manyOf = (next: number) => ({
  anyOf: Array.from({ length: 30 }, () => ({ $ref: `#/$defs/d${next}` })),
})

it('does bounded work for references that multiply each other', () => {
  const levels = Array.from({ length: 4 }, (_, n) => [`d${n}`, manyOf(n + 1)])
  const $defs = Object.fromEntries([...levels, ['d4', { type: 'string' }]])
  const written = typeOf({ $defs, ...manyOf(0) })
  expect(written).toMatch(/^string \| .*unknown/)
  expect(written.length).toBeLessThan(10_000)
})
