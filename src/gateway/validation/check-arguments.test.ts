import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { invalidArguments } from './problems.ts'
import { checkArguments } from './check-arguments.ts'
import { MUTATING, runs } from '../../../test/support/mutating.ts'

async function errorsOf(schema: JsonObject, given: JsonObject): Promise<string[]> {
  const { errors } = await checkArguments(schema, given)
  return errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}

const [, THEN = ''] = 'if then else'.split(' ')

function nested(depth: number): JsonObject {
  let value: JsonObject = {}
  for (let level = 0; level < depth; level += 1) value = { a: value }
  return value
}

function inA(schema: JsonObject): JsonObject {
  return { properties: { a: schema } }
}

function not(schema: JsonObject): JsonObject {
  return { not: schema }
}

function definition(level: number): JsonObject {
  return { $ref: `#/$defs/d${level}` }
}

function many(count: number, name: string, schema: JsonObject = {}): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, schema]))
}

const string = { type: 'string' }

describe.skipIf(MUTATING)('the time a check takes', () => {
  const node = { $ref: '#/$defs/node' }
  const again = { ...inA(node), required: ['z'] }
  const inConst = { ...inA({ $ref: '#/$defs/node/const' }), required: ['z'] }
  const branching = {
    anyOf: { anyOf: [again, again, again] },
    oneOf: { oneOf: [again, again, again] },
    allOf: { allOf: [again, again, again] },
    not: { allOf: [not(inA(not(node))), not(inA(not(node))), not(inA(not(node)))] },
    if: { allOf: Array.from({ length: 3 }, () => ({ if: again, [THEN]: again, else: again })) },
    dependentSchemas: { allOf: [0, 1, 2].map(() => ({ dependentSchemas: { a: again } })) },
    unevaluatedProperties: { anyOf: [again, again, again], unevaluatedProperties: false },
    'value that is used as a schema': {
      anyOf: [{ $ref: '#/$defs/node/const' }],
      const: { anyOf: [inConst, inConst, inConst] },
    },
  }
  it.each(Object.entries(branching))(
    'does not grow without bound in a recursive %s',
    async (_, recursion) => {
      const schema = { ...node, $defs: { node: recursion } }
      const started = performance.now()
      await checkArguments(schema, nested(40))
      expect(performance.now() - started).toBeLessThan(5_000)
    },
  )

  it('does not double at each level of references that lead to references', async () => {
    const names = Array.from({ length: 30 }, (_, level) => level)
    const schema = {
      properties: { a: definition(0) },
      required: ['b'],
      $defs: {
        ...Object.fromEntries(
          names.map((n) => [`d${n}`, { anyOf: [definition(n + 1), definition(n + 1)] }]),
        ),
        d30: { type: 'string' },
      },
    }
    const started = performance.now()
    expect(await errorsOf(schema, { a: 1, b: 1 })).toEqual([])
    expect(performance.now() - started).toBeLessThan(5_000)
    // The same schema still refuses what can be seen at once.
    expect(await errorsOf(schema, {})).toEqual([' required'])
  })

  it('is linear in the items that must be unique', async () => {
    const schema = { properties: { list: { type: 'array', uniqueItems: true } } }
    const list = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x' }))
    const started = performance.now()
    expect(await errorsOf(schema, { list })).toEqual([])
    expect(await errorsOf(schema, { list: [...list, { text: 'x', n: 7 }] })).toEqual([
      '/list uniqueItems',
    ])
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(await errorsOf(schema, { list: [1, '1', true, null, [1], { a: 1 }] })).toEqual([])
  })

  it('is bounded for very many errors and attempts to coerce them', async () => {
    const item = { anyOf: [{ type: 'integer' }, { type: 'boolean' }, { $ref: '#/$defs/text' }] }
    const schema = {
      properties: { list: { type: 'array', items: { $ref: '#/$defs/item' } } },
      $defs: { item, text: { type: 'array', items: { type: 'integer' } } },
    }
    const list = Array.from({ length: 20_000 }, (_, n) => `${n}x`)
    const started = performance.now()
    await checkArguments(schema, { list })
    await checkArguments(schema, { list: list.slice(0, 200) })
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(await errorsOf(schema, { list: ['1', 'x'] })).toContain('/list/1 anyOf')
  })

  it('is bounded for telling what is wrong', async () => {
    const schema = {
      additionalProperties: false,
      properties: many(100, 'a'.repeat(280)),
      allOf: Array.from({ length: 200 }, () => ({ not: {} })),
    }
    const given = { ...many(700, 'a'.repeat(140) + 'b'.repeat(140)), list: Array(100_000).fill(1) }
    const checked = await checkArguments(schema, given)
    const started = performance.now()
    const { problems_total: total } = invalidArguments('tool', schema, checked).toObject()
    expect(performance.now() - started).toBeLessThan(5_000)
    // The parts that say the same of the arguments as a whole are one problem.
    expect(total).toBe(701 + 1)
  })

  it('is that of a small schema where a large one would have to be compiled', async () => {
    expect(await errorsOf({ properties: many(500, 'p', string) }, { p1: [] })).toEqual(['/p1 type'])
    expect(await errorsOf({ properties: many(2_000, 'p', string) }, { p1: [] })).toEqual([])
  })
})

const text = fc.string({ maxLength: 8 })
const names = fc.constantFrom('a', 'b', 'c')
const values = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(0, 1, 'a', 'ab', true, null),
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    tie('object'),
  ),
  // As JSON.parse makes them: plain Ajv takes objects with and without a prototype for different.
  object: fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).object

function schemasOf(leaf: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ schema: JsonObject }>((tie) => {
    const schema = tie('schema')
    const list = fc.array(schema, { minLength: 1, maxLength: 3 })
    return {
      schema: fc.oneof(
        { depthSize: 'medium', withCrossShrink: true },
        leaf,
        fc.record({ properties: fc.dictionary(names, schema), required: fc.uniqueArray(names) }),
        fc.record({ additionalProperties: schema }),
        fc.record({ items: schema, uniqueItems: fc.boolean() }),
        fc.record({ contains: schema, maxContains: fc.nat(3) }),
        fc.record({ anyOf: list }),
        fc.record({ oneOf: list }),
        fc.record({ allOf: list, unevaluatedProperties: fc.boolean() }),
        fc.record({ not: schema }),
        fc.record({ if: schema, [THEN]: schema, else: schema }),
        fc.record({ dependentSchemas: fc.dictionary(names, schema) }),
      ),
    }
  }).schema
}

const simple = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'object', 'array', 'boolean') }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom(0, 1, 'a', null), { minLength: 1 }) }),
  fc.record({ pattern: fc.constantFrom('^a+$', 'b', '^(a|aa)+$') }),
  fc.record({ minLength: fc.nat(3), maxProperties: fc.nat(3) }),
  fc.constant({}),
)
it('agrees with plain Ajv about ordinary schemas', async () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  await fc.assert(
    fc.asyncProperty(schemasOf(simple), values, async (schema, given) => {
      const checked = await checkArguments(schema, given)
      // Mended arguments count as refused: they were not valid as given.
      const isRight = checked.errors.length === 0 && checked.coerced.length === 0
      expect(isRight).toBe(ajv.compile(schema)(given))
    }),
    { numRuns: runs(150) },
  )
})

/** Schemas that refer to each other from within every keyword that tries several of them. */
const recursive = fc
  .tuple(
    fc.constantFrom('#/$defs/d0', '#/$defs/d1', '#/$defs/d2'),
    fc.constantFrom('anyOf', 'oneOf', 'allOf', 'not', 'if', 'contains', 'dependentSchemas'),
    fc.constantFrom('a', 'items', 'same'),
    fc.integer({ min: 2, max: 4 }),
    schemasOf(simple),
  )
  .map(([$ref, keyword, place, count, other]): JsonObject => {
    const inner = { a: { properties: { a: { $ref } } }, items: { items: { $ref } }, same: { $ref } }
    const again = { ...inner[place], required: ['z'] }
    const branches = Array.from({ length: count }, () => again)
    if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return { [keyword]: [...branches, other] }
    if (keyword === 'dependentSchemas')
      return { allOf: branches.map((branch) => ({ [keyword]: { a: branch } })) }
    return { allOf: branches.map((branch) => ({ [keyword]: branch, [THEN]: other, else: again })) }
  })
const patterns = fc.record({
  properties: fc.record({
    a: fc.record({ pattern: fc.constantFrom('^(a|aa)+$', '^(a)\\1$', '^\\s*(.*?)\\s*$x') }),
  }),
})
const large = fc.oneof(
  fc.nat(60).map(nested),
  fc.nat(60).map((depth) => ({ a: [nested(depth), nested(depth)], b: nested(depth) })),
  values.map((inner) => ({ a: Array.from({ length: 1_000 }, () => inner) })),
  fc.constant({ a: `${'a'.repeat(19_000)}!` }),
)

it.skipIf(MUTATING)('ends soon, and tells what is wrong, whatever the schema is', async () => {
  const hostile = fc.oneof(recursive, recursive, patterns)
  let slowest = 0
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, large, async (d0, d1, d2, given) => {
      const schema = { allOf: [{ $ref: '#/$defs/d0' }], $defs: { d0, d1, d2 } }
      const started = performance.now()
      const checked = await checkArguments(schema, given)
      if (checked.errors.length > 0) invalidArguments('tool', schema, checked)
      slowest = Math.max(slowest, performance.now() - started)
    }),
    { numRuns: runs(100) },
  )
  expect(slowest).toBeLessThan(5_000)
})
