import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { validatorOf } from './validator.ts'
import { grantWork, spend, withinWork } from './work.ts'

/** The least work with which a value can be checked, found by halving. */
async function costOf(schema: JsonObject, value: unknown): Promise<number> {
  const validate = await validatorOf(schema)
  if (!validate) throw new Error('no validator')
  const isEnough = (steps: number) => {
    grantWork(steps)
    return validate(value) !== undefined
  }
  let [low, high] = [0, 1 << 20]
  if (!isEnough(high)) return Infinity
  while (low < high) {
    const middle = (low + high) >> 1
    if (isEnough(middle)) high = middle
    else low = middle + 1
  }
  return low
}

const list = (length: number) => Array.from({ length }, (_, n) => n)
const object = (length: number) => Object.fromEntries(list(length).map((n) => [`p${n}`, n]))

const anyOf = (count: number): JsonObject => ({
  anyOf: list(count).map(() => ({ minimum: 7 })),
})

describe('the work that a check is charged', () => {
  it.each<[string, JsonObject, unknown, unknown]>([
    ['a text with its length', { minLength: 1 }, 'x', 'x'.repeat(8_001)],
    ['a list with its items', { items: {} }, [], list(1_000)],
    ['a search of a list', { contains: { const: -1 } }, [1], list(1_000)],
    ['an object with its properties', { additionalProperties: {} }, {}, object(1_000)],
    ['names', { propertyNames: { minLength: 1 } }, {}, object(500)],
    ['patterns of names', { patternProperties: { '^q': {} } }, {}, object(1_000)],
    ['a count of properties', { maxProperties: 5_000 }, {}, object(1_000)],
    ['items that must be unique', { uniqueItems: true }, [], list(1_000)],
  ])('for %s grows', async (_, schema, small, large) => {
    const [least, most] = [await costOf(schema, small), await costOf(schema, large)]
    expect(least).toBeLessThan(50)
    expect(most - least).toBeGreaterThanOrEqual(900)
    expect(most).toBeLessThan(100_000)
  })

  it.each<[string, (length: number) => JsonObject]>([
    ['enum', (length) => ({ enum: list(length).map((n) => `value ${1_000 + n}`) })],
    ['const', (length) => ({ const: list(length).map((n) => `value ${1_000 + n}`) })],
    ['required', (length) => ({ required: list(length).map((n) => `value ${1_000 + n}`) })],
  ])('for %s grows with what the schema says there', async (_, schema) => {
    const [least, most] = [await costOf(schema(1), {}), await costOf(schema(500), {})]
    expect(most - least).toBeGreaterThanOrEqual(800)
  })

  it('grows with the number of alternatives, and with each of their keywords', async () => {
    const [few, many] = [await costOf(anyOf(1), 1), await costOf(anyOf(100), 1)]
    expect(many - few).toBeGreaterThanOrEqual(99)
    expect(await costOf({ minimum: 0 }, 1)).toBe(1)
    expect(await costOf({ minimum: 0, maximum: 9 }, 1)).toBe(2)
    expect(await costOf({ minimum: 0 }, 'no number')).toBe(0)
  })

  it('is the same for the second schema as for the first', async () => {
    const costs = [1, 2, 3].map(async (n) => costOf({ minimum: n, maximum: 9 }, 5))
    expect(await Promise.all(costs)).toEqual([2, 2, 2])
  })

  it('is without end where a thousand things are wrong already', async () => {
    const schema = { items: { minimum: 5 } }
    expect(await costOf(schema, list(1_001).fill(1))).toBeLessThan(10_000)
    expect(await costOf(schema, list(1_002).fill(1))).toBe(Infinity)
  })
})

it('work that was granted is spent once, and to the last step', () => {
  grantWork(3)
  expect(withinWork(() => (spend(3), 'done'))).toBe('done')
  expect(withinWork(() => (spend(0), 'done'))).toBe('done')
  expect(withinWork(() => (spend(1), 'done'))).toBeUndefined()
})

const endless = (): number => 1 + endless()

it('a check that needs more stack than there is has no answer; any other failure is one', () => {
  expect(withinWork(endless)).toBeUndefined()
  expect(() => withinWork(() => JSON.parse('{'))).toThrow(SyntaxError)
})

async function errorsOf(schema: JsonObject, value: unknown) {
  const validate = await validatorOf(schema)
  grantWork(1_000_000)
  return validate?.(value)?.map(({ keyword }) => keyword)
}

describe('items that must be unique', () => {
  it('are distinguished by what they say, whatever the order of their fields', async () => {
    const schema = { uniqueItems: true }
    expect(await errorsOf(schema, [1, '1', { a: 1, b: 2 }, { a: 1, b: 3 }])).toEqual([])
    expect(await errorsOf(schema, [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }])).toEqual(['uniqueItems'])
    expect(await errorsOf({ uniqueItems: false }, [1, 1])).toEqual([])
    expect(await errorsOf(schema, 'no list')).toEqual([])
  })
})

const described = (length: number): JsonObject => ({ description: 'x'.repeat(length) })
const FRAME = JSON.stringify(described(0)).length

/** A schema within a schema, so many levels deep. */
function deep(levels: number, within: (schema: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = {}
  for (let n = 0; n < levels; n++) schema = within(schema)
  return schema
}

const wide = (count: number): JsonObject => ({
  $defs: Object.fromEntries(list(count).map((n) => [`d${n}`, {}])),
})

describe('a schema', () => {
  it('is compiled once, as long as it is the same object', async () => {
    const schema = { minimum: 1 }
    const first = await validatorOf(schema)
    expect(validatorOf(schema)).toBe(first)
    expect(await validatorOf({ minimum: 1 })).not.toBe(first)
    const building = { minimum: 2 }
    expect(validatorOf(building)).toBe(validatorOf(building))
  })

  it('that cannot be used is known as such, too', async () => {
    const schema = { $ref: 'https://example.com/schema.json' }
    expect(await validatorOf(schema)).toBeUndefined()
    expect(validatorOf(schema)).toBeUndefined()
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['65,536 characters', described(65_536 - FRAME), described(65_537 - FRAME)],
    ['fifty levels', deep(50, (not) => ({ not })), deep(51, (not) => ({ not }))],
    [
      'fifty levels of lists',
      deep(25, (one) => ({ allOf: [one] })),
      deep(26, (one) => ({ allOf: [one] })),
    ],
    [
      'fifty levels of properties',
      deep(50, (a) => ({ properties: { a } })),
      deep(51, (a) => ({ properties: { a } })),
    ],
    ['a thousand schemas', wide(999), wide(1_000)],
  ])('may have %s', async (_, largest, tooLarge) => {
    expect(await validatorOf(largest)).toBeDefined()
    expect(await validatorOf(tooLarge)).toBeUndefined()
  })

  it('is read in the dialect that it names, and in the newest where it names none', async () => {
    const newest = { prefixItems: [{ minimum: 5 }] }
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    expect(await errorsOf({ ...newest, $schema }, [1])).toEqual(['minimum'])
    expect(await errorsOf(newest, [1])).toEqual(['minimum'])
    const older = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ minimum: 5 }] }
    expect(await errorsOf(older, [1])).toEqual(['minimum'])
    expect(await errorsOf({ ...older, ...newest, items: {} }, [1])).toEqual([])
  })

  it('is not looked for in the values that it names', async () => {
    const value = { required: ['a'], properties: { a: { default: 1 } } }
    expect(await errorsOf({ const: value }, value)).toEqual([])
    expect(await errorsOf({ enum: [value] }, { ...value, required: [] })).toEqual(['enum'])
  })
})
