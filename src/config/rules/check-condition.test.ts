import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { checkCondition } from './check-condition.ts'

const on = (name: string, schema: unknown): JsonObject => ({ properties: { [name]: schema } })

describe('a condition of a file', () => {
  it.each<[JsonObject, string]>([
    [{ properies: {} }, "'properties'"],
    [on('x', { maxmum: 5 }), "'maximum'"],
    [on('x', { format: 'email' }), 'not a keyword'],
    [{ $ref: '#/x' }, 'not a keyword'],
    [on('x', { pattern: '(?=a)' }), 'bounded'],
    [on('x', { pattern: '(a)\\1' }), 'bounded'],
    [on('x', { pattern: '(' }), 'bounded'],
    [{ patternProperties: { '(?!a)': {} } }, 'bounded'],
    [on('x', { within: 'data' }), 'absolute path'],
    [on('x', { within: [] }), 'absolute path'],
    [on('x', { host: 'https://a.com' }), 'a host such as'],
    [on('x', { host: ['a.com', ''] }), 'a host such as'],
    [on('x', { minimum: '5' }), 'a number'],
    [on('x', { type: 'text' }), 'one of string'],
    [{ allOf: [] }, 'not empty'],
    [{ required: 'x' }, 'an array'],
    [{ anyOf: [{ not: {} }, { enum: [] }] }, 'never match'],
    [{ required: ['x'], ...on('x', false) }, 'never match'],
    [{ required: ['x'], ...on('x', { minimum: 5, maximum: 4 }) }, 'never match'],
    [{ required: ['x'], ...on('x', { type: 'string', const: 5 }) }, 'never match'],
    [{ required: ['x'], additionalProperties: false }, 'never match'],
    [{ required: ['x'], ...on('x', { exclusiveMaximum: 5, minimum: 5 }) }, 'never match'],
  ])('%j is refused', (schema, message) => {
    expect(checkCondition(schema)).toMatchObject([{ message: expect.stringContaining(message) }])
  })
})
