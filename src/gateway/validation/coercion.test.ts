import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { alignEnum } from './align-schema.ts'
import { checkArguments } from './check-arguments.ts'

/** What becomes of one argument `a` of a schema. */
async function read(schema: JsonObject, a: unknown) {
  const checked = await checkArguments({ properties: { a: schema } }, { a })
  return checked.errors.length === 0 ? checked.arguments['a'] : 'refused'
}

const type = (name: unknown) => ({ type: name })

describe('an argument is read as what its schema wants', () => {
  it.each([
    ['integer', '7', 7],
    ['integer', ' -7 ', -7],
    ['number', '1.5', 1.5],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['string', 7, '7'],
    ['string', false, 'false'],
    ['array', 'x', ['x']],
    ['array', 0, [0]],
    ['array', ' [1, 2]', [1, 2]],
    ['object', '\n{"b": 1}', { b: 1 }],
  ])('%s from %j', async (name, given, expected) => {
    expect(await read(type(name), given)).toEqual(expected)
  })

  it.each([
    ['integer', '1.5'],
    ['integer', '0x10'],
    ['integer', true],
    ['number', 'Infinity'],
    ['number', 'NaN'],
    ['number', '1_000'],
    ['boolean', 'yes'],
    ['boolean', 1],
    ['string', { b: 1 }],
    ['string', ['x']],
    ['object', '[1]'],
    ['object', '{"b"'],
    ['object', 'x {"b": 1}'],
    ['object', 7],
    ['array', { b: 1 }],
    ['null', 'null'],
  ])('%s, and not guessed from %j', async (name, given) => {
    expect(await read(type(name), given)).toBe('refused')
  })

  it('a text that only looks like a list is one item', async () => {
    expect(await read(type('array'), '[draft]')).toEqual(['[draft]'])
    expect(await read(type('array'), '{"b": 1}')).toEqual(['{"b": 1}'])
  })

  it('the first type that fits, of several', async () => {
    expect(await read(type(['integer', 'boolean']), 'true')).toBe(true)
    expect(await read(type(['integer', 'boolean']), '7')).toBe(7)
    expect(await read(type(['integer', 'boolean']), 'x')).toBe('refused')
  })

  it('the word of a list that differs in case or blanks only', async () => {
    const state = { enum: ['OPEN', 'CLOSED', 7] }
    expect(await read(state, ' open ')).toBe('OPEN')
    expect(await read(state, 'opened')).toBe('refused')
    expect(await read(state, '7')).toBe('refused')
    expect(await read(state, 7)).toBe(7)
  })

  it('and not at all where another thing would be wrong then', async () => {
    expect(await read({ type: 'integer', minimum: 10 }, '5')).toBe('refused')
    expect(await read({ type: 'integer', minimum: 10 }, '15')).toBe(15)
    const checked = await checkArguments(
      { properties: { a: { type: 'integer', minimum: 10 } } },
      { a: '5' },
    )
    expect([checked.arguments, checked.coerced]).toEqual([{ a: '5' }, []])
  })
})

describe('what was read differently', () => {
  it('is reported with its place, and the given arguments stay as they were', async () => {
    const schema = {
      properties: {
        list: { items: { properties: { n: type('integer') } } },
        'a/b~c': type('integer'),
        o: { properties: { '1x': type('integer') } },
      },
    }
    const given = { list: [{ n: 1 }, { n: '2' }], 'a/b~c': '3', o: { '1x': '4' } }
    const checked = await checkArguments(schema, given)
    expect(checked).toMatchObject({
      arguments: { list: [{ n: 1 }, { n: 2 }], 'a/b~c': 3, o: { '1x': 4 } },
      errors: [],
    })
    expect(checked.coerced).toEqual([
      { path: 'list[1].n', from: '2', to: 2 },
      { path: 'a/b~c', from: '3', to: 3 },
      { path: 'o.1x', from: '4', to: 4 },
    ])
    expect(given.list[1]).toEqual({ n: '2' })
  })

  it('is an item of a list by itself', async () => {
    const schema = { properties: { a: { items: type('integer') } } }
    const { arguments: read_, coerced } = await checkArguments(schema, { a: [1, '2', '3'] })
    expect(read_).toEqual({ a: [1, 2, 3] })
    expect(coerced.map(({ path }) => path)).toEqual(['a[1]', 'a[2]'])
  })

  it('is nothing where null stands at the top, and only there', async () => {
    const schema = {
      properties: { a: type('string'), o: { properties: { a: type('string') } } },
    }
    const top = await checkArguments(schema, { a: null, o: {} })
    expect([top.arguments, top.errors]).toEqual([{ o: {} }, []])
    const deeper = await checkArguments(schema, { o: { a: null } })
    expect(deeper.errors).toHaveLength(1)
    expect(deeper.arguments).toEqual({ o: { a: null } })
  })
})

const INTEGERS = { properties: { a: { items: type('integer') } } }

async function coercedAt(length: number): Promise<number> {
  const name = 'x'.repeat(length)
  const schema = { properties: { [name]: type('integer') } }
  return (await checkArguments(schema, { [name]: '7' })).coerced.length
}

async function coercedAfter(wrong: number): Promise<number> {
  const a: unknown[] = Array.from({ length: wrong }, () => ({}))
  return (await checkArguments(INTEGERS, { a: [...a, '7'] })).coerced.length
}

describe('reading differently has bounds', () => {
  it.each([
    [20, 0],
    [21, 1],
  ])('of twenty values: of %i, %i are left', async (count, left) => {
    const a = Array.from({ length: count }, (_, n) => String(n))
    const { errors, coerced } = await checkArguments(INTEGERS, { a })
    expect([errors.length, coerced.length]).toEqual([left, 20])
  })

  it('of a hundred errors that are looked at', async () => {
    expect([await coercedAfter(99), await coercedAfter(100)]).toEqual([1, 0])
  })

  it('of how deep a value may be', async () => {
    expect([await coercedAt(499), await coercedAt(500)]).toEqual([1, 0])
  })
})

describe('an enum is aligned with its type', () => {
  it('not at all where each member has one of its types, or there is none', () => {
    for (const schema of [
      { type: 'integer', enum: [1, 2] },
      { type: 'array', enum: [[1]] },
      { type: 'object', enum: [{ a: 1 }] },
      { type: 'null', enum: [null] },
      { type: 'string', enum: ['a', null] },
      { type: ['string', 'boolean'], enum: ['a', true] },
      { enum: [1, 'a'] },
      { type: 'string' },
    ])
      expect(alignEnum(schema)).toBe(schema)
  })

  it('member by member, or without the type where one cannot be of it', () => {
    expect(alignEnum({ type: 'string', enum: [1, 'a', null] })).toEqual({
      type: 'string',
      enum: ['1', 'a', null],
    })
    expect(alignEnum({ type: 'integer', enum: ['1', 2], title: 'T' })).toEqual({
      type: 'integer',
      enum: [1, 2],
      title: 'T',
    })
    expect(alignEnum({ type: 'integer', enum: [1.5, 2], title: 'T' })).toEqual({
      enum: [1.5, 2],
      title: 'T',
    })
    expect(alignEnum({ type: ['integer', 'boolean'], enum: ['true', '1'] })).toEqual({
      type: ['integer', 'boolean'],
      enum: [true, 1],
    })
    expect(alignEnum({ type: 'object', enum: [[1]] })).toEqual({ enum: [[1]] })
  })

  it('as what the items of a list may be', () => {
    const schema = { type: 'array', items: { type: 'string' }, enum: ['pc', 'tv'] }
    expect(alignEnum(schema)).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['pc', 'tv'] },
    })
    expect(alignEnum({ type: 'array', enum: ['pc'] })).toEqual({
      type: 'array',
      items: { enum: ['pc'] },
    })
    expect(alignEnum({ type: 'array', enum: [['pc'], 'tv'] })).toEqual({
      type: 'array',
      enum: [['pc'], ['tv']],
    })
  })
})
