import { describe, expect, it } from 'vitest'
import { type JsonObject, parseObject } from '../../base/json/json.ts'
import { checkCondition } from '../../config/rules/check-condition.ts'
import { compileCondition, conditionsReady } from './condition.ts'

async function test(schema: JsonObject, args: JsonObject): Promise<boolean | string> {
  expect(checkCondition(schema)).toEqual([])
  const condition = compileCondition(schema)
  await conditionsReady()
  return condition.test(args)
}

const on = (name: string, schema: unknown): JsonObject => ({ properties: { [name]: schema } })

it.each<[JsonObject, JsonObject, boolean]>([
  [on('amount', { maximum: 100 }), { amount: 100 }, true],
  [on('amount', { maximum: 100 }), { amount: 101 }, false],
  [on('amount', { maximum: 100 }), {}, true],
  [{ required: ['amount'] }, {}, false],
  [on('sql', { pattern: '^ *select ' }), { sql: 'select 1' }, true],
  [on('sql', { pattern: '^ *select ' }), { sql: 'drop table x' }, false],
  [on('path', { within: '/srv' }), { path: '/srv/x' }, true],
  [on('path', { not: { within: '/srv' } }), { path: '/etc/x' }, true],
  [on('to', { items: { pattern: '@example[.]com$' } }), { to: ['a@example.com'] }, true],
  [on('to', { contains: { not: { pattern: '@example[.]com$' } } }), { to: ['a@evil.net'] }, true],
  [on('url', { host: ['a.com', 'b.com'] }), { url: 'https://b.com/' }, true],
  [on('n', { type: ['integer', 'string'], enum: [5, 'five'] }), { n: 5 }, true],
])('%j on %j is decided', async (schema, args, answer) => {
  expect(await test(schema, args)).toBe(answer)
})

/** A literal with the keyword `then` would count as a promise. */
const parsed = (json: string) => parseObject(json) ?? {}

describe('unsure', () => {
  const outside = { within: '/srv' }
  it.each<[string, JsonObject]>([
    ['itself', outside],
    ['under not', { not: outside }],
    ['under anyOf', { anyOf: [outside, { minLength: 1 }] }],
    ['under oneOf', { oneOf: [outside, { maxLength: 0 }] }],
    ['under allOf', { allOf: [{ minLength: 1 }, outside] }],
    [
      'as a condition',
      parsed('{"if":{"within":"/srv"},"then":{"minLength":1},"else":{"minLength":1}}'),
    ],
    ['after a condition', parsed('{"if":{"minLength":1},"then":{"within":"/srv"}}')],
    ['twice negated', { not: { not: outside } }],
  ])('is no yes and no no: %s', async (_, schema) => {
    expect(await test(on('path', schema), { path: '../etc' })).toContain('"path" is not a plain')
  })

  it.each<[JsonObject, unknown]>([
    [{ maximum: 100 }, '500'],
    [{ maximum: 100 }, ['500']],
    [{ maximum: 100 }, null],
    [{ type: ['number', 'string'], maximum: 100 }, '500'],
    [{ pattern: '^select' }, ['drop table x']],
    [{ within: '/srv' }, ['/etc/passwd']],
    [{ within: '/srv' }, { path: '/etc/passwd' }],
    [{ items: { within: '/srv' } }, '/etc/passwd'],
    [{ properties: { path: { within: '/srv' } } }, '/etc/passwd'],
    [{ const: 5 }, '5'],
    [{ enum: [true, 'x'] }, 'TRUE'],
  ])(
    '%j says nothing sure about %j, which another schema would let pass',
    async (schema, value) => {
      expect(await test(on('x', schema), { x: value })).toEqual(expect.any(String))
    },
  )

  it('is what would take too long to check', async () => {
    const deep = { contains: { contains: { contains: { const: 1 } } } }
    const row = Array.from({ length: 100 }, () => 0)
    const cube = row.map(() => row.map(() => row))
    expect(await test(on('x', deep), { x: cube })).toContain('takes too long')
  })

  it('is not changed by keys that objects inherit', async () => {
    const args = parseObject('{"__proto__":{"path":"/srv/x"}}') ?? {}
    expect(await test({ required: ['path'] }, args)).toBe(false)
    expect(await test({ required: ['toString'] }, {})).toBe(false)
  })
})
