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
