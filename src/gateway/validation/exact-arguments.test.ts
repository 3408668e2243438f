import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { ExactNumber, parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { GatewayError } from '../errors.ts'
import { createPolicy } from '../agents/policy.ts'
import { validate } from '../layers/validate.ts'

/** Returns the argument `a` that a tool gets and what was coerced, or what is wrong with it. */
async function read(schema: JsonObject, json: string): Promise<string> {
  const definition = { inputSchema: { type: 'object', properties: { a: schema } } }
  const tool = { server: 'gh', name: 'list', definition, readOnly: true }
  const params = { name: 'list', arguments: { a: parseExact(json) } }
  const handle = validate(createPolicy(undefined))(async (call) => ({
    sent: call.params['arguments'],
  }))
  try {
    return stringifyExact(await handle(aCall({ tool, params })))
  } catch (error) {
    return stringifyExact(error instanceof GatewayError ? error.toObject() : String(error))
  }
}

it.each([
  ['integer', '"9007199254740993"', '{"a":9007199254740993}'],
  ['integer', '"9007199254740993"', ' → 9007199254740993"'],
  ['array', '["9007199254740993"]', '{"a":[9007199254740993]}'],
  ['integer', '"12345678901234567.5"', 'INVALID_PARAMS'],
  ['integer', '"0012345678901234567"', 'INVALID_PARAMS'],
])('reads %s from %s without losing a digit', async (type, json, expected) => {
  const items = type === 'array' ? { items: { type: 'integer' } } : {}
  expect(await read({ type, ...items }, json)).toContain(expected)
})

it.each([
  [{ uniqueItems: true }, '[9007199254740993,9007199254740992]'],
  [{ multipleOf: 0.01 }, '1234567890123456789012.34'],
  [{ exclusiveMaximum: 9007199254740992 }, '9007199254740991.99'],
])('does not refuse by %o what only looks wrong as doubles', async (schema, json) => {
  expect(await read(schema, json)).toBe(`{"sent":{"a":${json}}}`)
})

it('checks against the numbers of a schema that no double can hold', async () => {
  const int64 = { type: 'integer', maximum: new ExactNumber('9223372036854775807') }
  expect(await read(int64, '9223372036854775806')).toBe('{"sent":{"a":9223372036854775806}}')
  expect(await read(int64, '9323372036854775807')).toContain('INVALID_PARAMS')
  const ids = { type: 'string', enum: [new ExactNumber('1234567890123456789')] }
  expect(await read(ids, '"1234567890123456789"')).toBe('{"sent":{"a":"1234567890123456789"}}')
  expect(await read(ids, '"1234567890123456800"')).toContain('INVALID_PARAMS')
})

it.each([
  [{ maximum: new ExactNumber('9223372036854775807') }, '<= 9223372036854775807'],
  [{ exclusiveMaximum: new ExactNumber('9223372036854775807') }, '< 9223372036854775807'],
  [{ enum: [new ExactNumber('1234567890123456789')] }, 'one of 1234567890123456789'],
])('shows what %o allows in its own digits', async (limits, words) => {
  const schema = { type: 'integer', ...limits }
  expect(await read(schema, '9323372036854775807')).toContain(words)
  const below = { type: 'object', properties: { a: schema } }
  expect(await read(below, '{"a":9323372036854775807}')).toContain(words)
})

it('shows a wrong argument in its own digits', async () => {
  expect(await read({ maximum: 5 }, '9007199254740993')).toContain('"got":"9007199254740993"')
})

it('keeps every digit of a number in a text that is coerced to the JSON in it', async () => {
  const properties = { filter: { type: 'object' }, ids: { type: 'array' } }
  const definition = { inputSchema: { type: 'object', properties } }
  const tool = { server: 'gh', name: 'list', definition, readOnly: true }
  const args = { filter: '{"id":9007199254740993}', ids: '[9007199254740993]' }
  const handle = validate(createPolicy(undefined))(async ({ params }) => ({
    sent: params['arguments'],
  }))
  const { sent } = await handle(aCall({ tool, params: { name: 'list', arguments: args } }))
  expect(stringifyExact(sent)).toBe('{"filter":{"id":9007199254740993},"ids":[9007199254740993]}')
})
