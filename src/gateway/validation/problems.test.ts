import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { checkArguments } from './check-arguments.ts'
import { exampleOf, expectation, list } from './expectation.ts'
import { hasUnknownFields, invalidArguments } from './problems.ts'

/** The error for wrong arguments, as an agent reads it. */
async function errorFor(schema: JsonObject, given: JsonObject, closed = false) {
  return invalidArguments('t', schema, await checkArguments(schema, given), { closed }).toObject()
}

const properties = (of: JsonObject): JsonObject => ({ properties: of })
const got = async (value: unknown) =>
  errorFor(properties({ a: { type: 'null' } }), { a: value }).then((error) => error['problems'])

const fields = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, 1]))

describe('an error tells', () => {
  it('how many things are wrong', async () => {
    const schema = properties({ a: { type: 'integer' }, b: { type: 'integer' } })
    expect(await errorFor(schema, { a: 'x' })).toMatchObject({
      message: 'Invalid arguments for t: 1 problem.',
    })
    expect(await errorFor(schema, { a: 'x', b: 'y' })).toMatchObject({
      message: 'Invalid arguments for t: 2 problems.',
    })
    expect(await errorFor(schema, { a: 'x', c: 1, d: 2 }, true)).toMatchObject({
      message: 'Invalid arguments for t: 3 problems.',
    })
  })

  it('a value in brief: forty characters of it', async () => {
    expect(await got('x'.repeat(38))).toMatchObject([{ got: `"${'x'.repeat(38)}"` }])
    expect(await got('x'.repeat(39))).toMatchObject([{ got: `"${'x'.repeat(39)}…` }])
    expect(await got([1, 2])).toMatchObject([{ got: 'array [1,2]' }])
    expect(await got({ b: 1 })).toMatchObject([{ got: 'object {"b":1}' }])
    const long = Array.from({ length: 1_000 }, (_, n) => n)
    expect(await got(long)).toMatchObject([{ got: `array ${JSON.stringify(long).slice(0, 40)}…` }])
    const wide = Object.fromEntries(long.map((n) => [`k${n}`, n]))
    expect(await got(wide)).toMatchObject([{ got: `object ${JSON.stringify(wide).slice(0, 40)}…` }])
  })

  it('of a choice that nothing fits one thing, not one for each of its parts', async () => {
    for (const keyword of ['anyOf', 'oneOf']) {
      const schema = properties({ a: { [keyword]: [{ type: 'integer' }, { type: 'boolean' }] } })
      expect(await errorFor(schema, { a: 'x' })).toMatchObject({
        problems: [{ path: 'a', expected: 'integer or boolean', got: '"x"' }],
      })
    }
  })

  it('of a condition what follows from it', async () => {
    const [, then = ''] = 'if then else'.split(' ')
    const schema = { if: { required: ['kind'] }, [then]: { required: ['colour'] } }
    expect((await errorFor(schema, { kind: 1 }))['problems']).toEqual([
      { path: 'colour', expected: 'any value', got: 'nothing' },
    ])
  })

  it('of a missing field that another one may be it', async () => {
    const schema = { ...properties({ owner: { type: 'string' }, other: {} }), required: ['owner'] }
    expect(await errorFor(schema, { ownr: 'a', other: 1 })).toMatchObject({
      problems: [
        { path: 'owner', expected: 'string', did_you_mean: 'owner instead of ownr' },
        { path: 'ownr', did_you_mean: 'owner' },
      ],
    })
    const inside = properties({ o: schema })
    expect(await errorFor(inside, { o: {} })).toMatchObject({
      problems: [{ path: 'o.owner', expected: 'string', got: 'nothing' }],
    })
    const [problem] = Object(await errorFor(schema, { zzz: 1 }))['problems']
    expect(problem).not.toHaveProperty('did_you_mean')
  })

  it('of a value that is not in a list which one is near', async () => {
    const schema = properties({ state: { enum: ['open', 'closed'] } })
    expect(await errorFor(schema, { state: 'opne' })).toMatchObject({
      problems: [{ expected: 'one of "open", "closed"', got: '"opne"', did_you_mean: 'open' }],
    })
    const far = Object(await errorFor(schema, { state: 'qqqqqq' }))['problems'][0]
    expect(far).not.toHaveProperty('did_you_mean')
  })

  it('of any other rule what it says', async () => {
    const schema = properties({ a: { type: 'string', minLength: 3 } })
    expect(await errorFor(schema, { a: 'x' })).toMatchObject({
      problems: [{ path: 'a', expected: 'string, must NOT have fewer than 3 characters' }],
    })
    expect(await errorFor({ minProperties: 2 }, { a: 1 })).toMatchObject({
      problems: [{ path: '(arguments)' }],
    })
  })

  it('what was read differently', async () => {
    const schema = properties({ a: { type: 'integer' }, b: { type: 'integer' } })
    expect(await errorFor(schema, { a: '1', b: 'x' })).toMatchObject({ coerced: ['a: "1" → 1'] })
    expect(await errorFor(schema, { a: 1, b: 'x' })).not.toHaveProperty('coerced')
  })

  it('of twelve problems at most, and how many there are', async () => {
    expect(await errorFor({ maxProperties: 0 }, fields(2))).not.toHaveProperty('problems_total')
    const closed = { ...properties({}), additionalProperties: false }
    const error = Object(await errorFor(closed, fields(30)))
    expect(error['problems_total']).toBe(30)
    expect(error['problems'].length).toBeLessThanOrEqual(12)
    expect(error['problems'].length).toBeGreaterThan(3)
    const { problems, problems_total } = error
    expect(JSON.stringify({ problems, problems_total }).length).toBeLessThan(700)
  })

  it('an example of the fields that the schema has, with what was right', async () => {
    const schema = {
      ...properties({ a: { type: 'integer' }, b: { type: 'string' }, c: {} }),
      required: ['a'],
    }
    expect(await errorFor(schema, { a: 'x', b: 'kept', d: 1 })).toMatchObject({
      example: { a: 1, b: 'kept' },
    })
    expect(Object(await errorFor(schema, { a: 'x', d: 1 }))['example']).toEqual({ a: 1 })
    expect(Object(await errorFor(schema, { b: {} }))['example']).toEqual({ a: 1, b: '…' })
  })
})

it('a field is unknown where the schema names others only', () => {
  const schema = properties({ a: {} })
  expect([hasUnknownFields(schema, { a: 1 }), hasUnknownFields(schema, { b: 1 })]).toEqual([
    false,
    true,
  ])
  expect(hasUnknownFields({}, { b: 1 })).toBe(false)
  expect(hasUnknownFields(schema, { toString: 1 })).toBe(true)
})

describe('what a schema asks for, in words', () => {
  it.each<[unknown, string]>([
    [true, 'any value'],
    [{}, 'any value'],
    [{ enum: ['a', 1] }, 'one of "a", 1'],
    [{ const: 'x' }, '"x"'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] }, 'string or null'],
    [{ oneOf: [{ const: 1 }, { const: 2 }, { const: 3 }, { const: 4 }, {}] }, '1 or 2 or 3 or 4'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ properties: {} }, 'object'],
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'integer 1..9'],
    [{ type: 'integer', minimum: 1 }, 'integer >= 1'],
    [{ type: 'integer', maximum: 9 }, 'integer <= 9'],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 1 }, 'number > 0 and <= 1'],
    [{ type: 'number', exclusiveMaximum: 1 }, 'number < 1'],
    [{ type: 'integer', minimum: 5, exclusiveMinimum: true }, 'integer >= 5'],
    [{ type: 'string', maxLength: 5 }, 'string of at most 5 characters'],
    [{ type: 'string' }, 'string'],
  ])('%j is %s', (schema, words) => {
    expect(expectation(schema)).toBe(words)
  })

  // As pydantic and C# write classes and enums.
  const root = {
    $defs: {
      Role: { enum: ['dev', 'ops'] },
      Who: { type: 'object', properties: { role: { $ref: '#/$defs/Role' } }, required: ['role'] },
      Circle: { anyOf: [{ $ref: '#/$defs/Circle' }] },
    },
  }

  it('follows references', () => {
    const optional = { anyOf: [{ $ref: '#/$defs/Who' }, { type: 'null' }], default: null }
    expect(expectation(optional, root)).toBe('object or null')
    expect(expectation({ type: 'array', items: { $ref: '#/$defs/Role' } }, root)).toBe(
      'array of one of "dev", "ops"',
    )
    expect(exampleOf(optional, root)).toEqual({ role: 'dev' })
  })

  it('ends where references lead in a circle', () => {
    const circle = { $ref: '#/$defs/Circle' }
    expect(expectation(circle, root)).toBe('any value')
    expect(exampleOf(circle, root)).toBe('…')
  })

  it('lists six values, and says how many there are', () => {
    expect(list([1, 2, 3, 4, 5, 6])).toBe('1, 2, 3, 4, 5, 6')
    expect(list([1, 2, 3, 4, 5, 6, 7])).toBe('1, 2, 3, 4, 5, 6, … (7)')
  })
})

describe('an example of a schema', () => {
  const nested = (levels: number): JsonObject =>
    levels === 0
      ? { type: 'string' }
      : { type: 'object', properties: { a: nested(levels - 1) }, required: ['a'] }
  const lists = (levels: number): JsonObject =>
    levels === 0 ? { type: 'string' } : { type: 'array', items: lists(levels - 1) }

  it.each<[unknown, unknown]>([
    [true, '…'],
    [{}, '…'],
    [{ examples: ['e'], default: 'd', const: 'c', enum: ['x'] }, 'e'],
    [{ default: 'd', const: 'c', enum: ['x'] }, 'd'],
    [{ const: 'c', enum: ['x'] }, 'c'],
    [{ enum: ['x', 'y'] }, 'x'],
    [{ examples: 'no list', enum: 'no list', type: 'boolean' }, true],
    [{ type: 'integer' }, 1],
    [{ type: 'number', minimum: 5 }, 5],
    [{ type: ['integer', 'null'] }, 1],
    [{ type: 'string' }, '…'],
    [{ type: 'array', items: { type: 'integer' } }, [1]],
    [{ type: 'object' }, {}],
    [{ properties: { a: {}, b: {} }, required: ['b'] }, { b: '…' }],
    [nested(2), { a: { a: '…' } }],
    [nested(4), { a: { a: { a: {} } } }],
    [lists(3), [[['…']]]],
    [lists(4), [[[[]]]]],
  ])('%j is %j', (schema, example) => {
    expect(exampleOf(schema)).toEqual(example)
  })
})
