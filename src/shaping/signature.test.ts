import { expect, it } from 'vitest'
import { signature } from './signature.ts'

const string = { type: 'string' }

it('lists required parameters first, then optional ones, and the fields of the result', () => {
  const definition = {
    name: 'create_issue',
    inputSchema: {
      type: 'object',
      required: ['owner', 'title'],
      properties: {
        labels: { type: 'array', items: string },
        owner: string,
        title: string,
        state: { enum: ['open', 'closed'] },
        limit: { type: ['integer', 'null'] },
      },
    },
    outputSchema: {
      type: 'object',
      properties: { number: { type: 'integer' }, tags: { type: 'array' } },
    },
  }
  expect(signature(definition)).toBe(
    'create_issue(owner: string, title: string, labels?: string[], state?: "open"|"closed", limit?: integer|null) → {number, tags[]}',
  )
})

it('follows local references and stops at circles', () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' }, c: { $ref: 'http://else' } },
    $defs: { A: { type: 'object', properties: { x: string } }, B: { $ref: '#/$defs/B' } },
  }
  expect(signature({ name: 't', inputSchema })).toBe('t(a?: {x}, b?: any, c?: any)')
})

it('ends at a type that contains itself, as that of any JSON value does', () => {
  const json = { anyOf: [string, { type: 'array', items: { $ref: '#/$defs/json' } }] }
  const $defs = { json, list: { type: 'array', items: { $ref: '#/$defs/list' } } }
  const properties = { value: { $ref: '#/$defs/json' }, list: { $ref: '#/$defs/list' } }
  expect(signature({ name: 't', inputSchema: { properties, $defs } })).toBe(
    't(value?: string|any[], list?: any[])',
  )
})

/** Refers thirty times to the next definition. */
const manyOf = (next: number) => ({
  anyOf: Array.from({ length: 30 }, () => ({ $ref: `#/$defs/d${next}` })),
})

it('does bounded work for references that multiply each other', () => {
  const levels = Array.from({ length: 8 }, (_, n) => [`d${n}`, manyOf(n + 1)])
  const $defs = Object.fromEntries([...levels, ['d8', string]])
  const properties = { value: { $ref: '#/$defs/d0' } }
  expect(signature({ name: 't', inputSchema: { properties, $defs } })).toMatch(/^t\(value\?: /)
})

it('counts optional parameters that do not fit, never required ones', () => {
  const names = Array.from({ length: 50 }, (_, i) => `parameter_${i}`)
  const properties = Object.fromEntries(names.map((name) => [name, string]))
  const inputSchema = { type: 'object', properties, required: ['parameter_49'] }
  const text = signature({ name: 't', inputSchema }, { maxLength: 80 })
  expect(text).toBe(
    't(parameter_49: string, parameter_0?: string, parameter_1?: string, …47 optional)',
  )
})

it('shows a required parameter that has a default as optional', () => {
  const inputSchema = {
    type: 'object',
    required: ['url', 'scale', 'size'],
    properties: {
      scale: { type: 'string', default: 'css' },
      size: { $ref: '#/$defs/size' },
      url: string,
    },
    $defs: { size: { type: 'integer', default: 1 } },
  }
  expect(signature({ name: 't', inputSchema })).toBe(
    't(url: string, scale?: string, size?: integer)',
  )
})

it('copes with a tool that says nothing about itself', () => {
  expect(signature({ name: 'ping' })).toBe('ping()')
})

it('is brief when asked: what a call needs, without what it returns', () => {
  const definition = {
    name: 'create_issue',
    inputSchema: {
      type: 'object',
      properties: { title: { type: 'string' }, body: { type: 'string' } },
      required: ['title'],
    },
    outputSchema: { type: 'object', properties: { number: { type: 'integer' } } },
  }
  expect(signature(definition, { isBrief: true })).toBe('create_issue(title: string, …1 optional)')
  expect(signature(definition)).toBe('create_issue(title: string, body?: string) → {number}')
})

/** The type of one parameter as the signature shows it. */
function shown(schema: unknown, $defs = {}): string {
  const inputSchema = { type: 'object', properties: { p: schema }, $defs }
  return signature({ name: 't', inputSchema }).replace(/^t\(p\?: (.*)\)$/, '$1')
}

it.each([
  ['a constant', { const: 'x' }, '"x"'],
  ['null as a constant', { const: null }, 'null'],
  ['choices', { anyOf: [string, { type: 'integer' }, string] }, 'string|integer'],
  ['other choices', { oneOf: [string, true, { type: 'null' }] }, 'string|null'],
  [
    'the first of what must all hold',
    { allOf: [{ type: 'object', properties: { a: {} } }, string] },
    '{a}',
  ],
  ['no choices', { anyOf: [] }, 'any'],
  ['a list of choices', { type: 'array', items: { enum: [1, 2] } }, '(1|2)[]'],
  ['a list of one kind', { type: 'array', items: string }, 'string[]'],
  ['a list of anything', { type: 'array' }, 'any[]'],
  ['fields without a type', { properties: { a: {}, b: { type: 'array' } } }, '{a, b[]}'],
  ['an object without fields', { type: 'object', properties: {} }, 'object'],
  ['an object of anything', { type: 'object' }, 'object'],
  ['several types', { type: ['object', 'array', 7] }, 'object|any[]'],
  ['nothing', {}, 'any'],
  ['no schema', true, 'any'],
])('shows %s', (_, schema, expected) => {
  expect(shown(schema)).toBe(expected)
})

it('shows six choices and eight fields, and that there are more', () => {
  const names = Array.from({ length: 9 }, (_, n) => `f${n}`)
  const withFields = (count: number) => ({
    type: 'object',
    properties: Object.fromEntries(names.slice(0, count).map((name) => [name, string])),
  })
  expect(shown(withFields(8))).toBe('{f0, f1, f2, f3, f4, f5, f6, f7}')
  expect(shown(withFields(9))).toBe('{f0, f1, f2, f3, f4, f5, f6, f7, …}')
  expect(shown({ enum: [1, 2, 3, 4, 5, 6] })).toBe('1|2|3|4|5|6')
  expect(shown({ enum: [1, 2, 3, 4, 5, 6, 7] })).toBe('1|2|3|4|5|6|…')
  const constants = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ const: n }))
  expect(shown({ anyOf: constants })).toBe('1|2|3|4|5|6')
})

const listOf = (items: object) => ({ type: 'array', items })

it('shows fields of what is nested down to the second level', () => {
  const object = { type: 'object', properties: { a: {} } }
  expect([listOf(object), listOf(listOf(object))].map((schema) => shown(schema))).toEqual([
    '{a}[]',
    'object[][]',
  ])
  expect(shown({ anyOf: [{ anyOf: [object] }, object] })).toBe('object|{a}')
})

it('marks a field that is a list, also behind a reference', () => {
  const list = { type: 'array' }
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/list' }, b: string } }
  expect(shown(schema, { list })).toBe('{a[], b}')
})

it('lists optional parameters up to the length, and no further', () => {
  const inputSchema = { type: 'object', properties: { a: string, b: string } }
  const both = 't(a?: string, b?: string)'
  expect(signature({ name: 't', inputSchema }, { maxLength: 24 })).toBe(both)
  expect(signature({ name: 't', inputSchema }, { maxLength: 23 })).toBe(
    't(a?: string, …1 optional)',
  )
})
