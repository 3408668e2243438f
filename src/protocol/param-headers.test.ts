import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../base/json/exact-json.ts'
import {
  decodeHeader,
  encodeHeader,
  headerMarks,
  invalidMarks,
  paramHeaders,
} from './param-headers.ts'

const schema = (properties: object) => ({ type: 'object', properties })
const marked = (header: string, type = 'string') => ({ type, 'x-mcp-header': header })

describe('header values', () => {
  it.each(['plain', 'two words', 'é', ' padded ', '', 'line\nbreak', '=?base64?eA==?='])(
    'come back as they went: %j',
    (value) => {
      const encoded = encodeHeader(value)
      expect(encoded).toMatch(/^[\x20-\x7e]*$/)
      expect(decodeHeader(encoded)).toBe(value)
    },
  )

  it('stay readable where they can', () => {
    expect(encodeHeader('eu-west 1')).toBe('eu-west 1')
    expect(encodeHeader('é')).toBe('=?base64?w6k=?=')
  })
})

describe('marked parameters', () => {
  it('are repeated in headers, wherever they stand', () => {
    const marks = headerMarks(
      schema({
        region: marked('Region'),
        place: schema({ floor: marked('Floor', 'integer') }),
        plain: { type: 'string' },
      }),
    )
    expect(paramHeaders(marks, { region: 'eu', place: { floor: 3 }, plain: 'x' })).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-floor': '3',
    })
    expect(paramHeaders(marks, { place: 'elsewhere' })).toEqual({})
    expect(paramHeaders(marks, undefined)).toEqual({})
  })

  it.each([
    ['a name that is no header', schema({ a: marked('Re gion') })],
    ['a name used twice', schema({ a: marked('Region'), b: marked('region') })],
    ['a mark on an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['a mark within a list', schema({ a: { type: 'array', items: marked('A') } })],
  ])('make a tool unusable over HTTP with %s', (_, bad) => {
    expect(invalidMarks(bad)).toBeTypeOf('string')
  })

  it('are fine when they keep to the rules', () => {
    expect(invalidMarks(schema({ a: marked('A'), b: { type: 'string' } }))).toBeUndefined()
    expect(invalidMarks(undefined)).toBeUndefined()
  })
})

it('repeats every digit of a number', () => {
  const marks = headerMarks(schema({ id: marked('Id', 'integer') }))
  expect(paramHeaders(marks, { id: new ExactNumber('1234567890123456789') })).toEqual({
    'mcp-param-id': '1234567890123456789',
  })
  expect(paramHeaders(marks, { id: { text: '1' } })).toEqual({})
})
