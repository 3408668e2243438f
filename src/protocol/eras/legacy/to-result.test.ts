import { describe, expect, it } from 'vitest'
import { ERAS } from '../eras.ts'
import { toLegacyTool } from './to-result.ts'

const schemas: Readonly<Record<string, unknown>> = {
  list: { type: 'array' },
  choice: { anyOf: [{ type: 'object' }, { type: 'number' }] },
  person: { type: 'object' },
}

/** Converts the result of a tool with this name. */
function converted(result: object, name = 'list', method = 'tools/call') {
  return ERAS.legacy.toResult(method, { ...result }, () => schemas[name])
}

describe('a result for a client of 2025', () => {
  it.each([[['a']], ['text'], [5], [null], [false]])('wraps %j and repeats it as text', (value) => {
    expect(converted({ content: [], structuredContent: value })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: { result: value },
    })
  })

  it('keeps the text of the server', () => {
    const content = [{ type: 'text', text: 'two names' }]
    expect(converted({ content, structuredContent: ['a', 'b'] })).toEqual({
      content,
      structuredContent: { result: ['a', 'b'] },
    })
  })

  it('wraps an object only if its schema was wrapped', () => {
    const structuredContent = { a: 1 }
    expect(converted({ structuredContent }, 'person')).toEqual({ structuredContent })
    expect(converted({ structuredContent }, 'choice')).toMatchObject({
      structuredContent: { result: structuredContent },
    })
  })

  it('has no fields of later revisions', () => {
    const later = { resultType: 'complete', ttlMs: 5, cacheScope: 'private' }
    expect(converted({ ...later, contents: [] }, 'x', 'resources/read')).toEqual({ contents: [] })
    const asks = { resultType: 'input_required', requestState: 'x' }
    expect(converted(asks), 'no complete result').toEqual(asks)
  })

  it('is the same object if nothing changes, so that it keeps its text', () => {
    const result = { content: [], structuredContent: { a: 1 } }
    expect(ERAS.legacy.toResult('tools/call', result, () => undefined)).toBe(result)
  })
})

it('wraps the output schema of a tool with its references', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    items: { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: 'other' }] },
    $defs: { a: { enum: [{ $ref: '#' }] } },
  }
  expect(toLegacyTool({ name: 't', outputSchema: schema })).toEqual({
    name: 't',
    outputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        result: {
          type: 'array',
          items: {
            anyOf: [
              { $ref: '#/properties/result' },
              { $ref: '#/properties/result/$defs/a' },
              { $ref: 'other' },
            ],
          },
          $defs: { a: { enum: [{ $ref: '#' }] } },
        },
      },
      required: ['result'],
    },
  })
  const other = { name: 't', outputSchema: { type: 'object' } }
  expect(toLegacyTool(other)).toBe(other)
})

it('tells clients of 2026 nothing of tasks of 2025', () => {
  const tools = [{ name: 'a', execution: { taskSupport: 'optional' } }, { name: 'b' }]
  expect(ERAS.modern.toResult('tools/list', { tools }, () => undefined)).toEqual({
    tools: [{ name: 'a' }, { name: 'b' }],
  })
  const result = { tools: [{ name: 'b' }] }
  expect(ERAS.modern.toResult('tools/list', result, () => undefined)).toBe(result)
})
