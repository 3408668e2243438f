import { describe, expect, it } from 'vitest'
import { type JsonObject, canonicalJson, isObject } from '../base/json/json.ts'
import { parseExact } from '../base/json/exact-json.ts'
import {
  encodeResult,
  fromText,
  parseMessage,
  rawText,
  toSendWithField,
  toText,
  withField,
  withoutField,
} from './raw-text.ts'

/** What `JSON.parse` and `JSON.stringify` together would not give back. */
const RESULT = '{"big":9007199254740993,"one":1.0,"text":"\\u00e9", "list":[ 1 ]}'

function arrive(text: string): JsonObject {
  const message = parseMessage(text)
  if (!isObject(message) || !isObject(message['result'])) throw new Error('no result')
  return message['result']
}

describe('a result that nobody touched', () => {
  it.each([
    `{"jsonrpc":"2.0","id":1,"result":${RESULT}}`,
    `{"id":"a","jsonrpc":"2.0","result":${RESULT}}`,
    `{"result":${RESULT},"id":1,"jsonrpc":"2.0"}`,
    `{"result":${RESULT},"jsonrpc":"2.0","id":1}`,
    ` { "jsonrpc" : "2.0", "result" : ${RESULT} , "id" : 12 } `,
  ])('leaves as it came: %s', (text) => {
    expect(encodeResult('other', arrive(text))).toBe(
      `{"jsonrpc":"2.0","id":"other","result":${RESULT}}`,
    )
  })

  it.each([
    `{"jsonrpc":"2.0","id":1,"result":{"a":1},"extra":{"result":{"b":2}}}`,
    `{"jsonrpc":"2.0","result":{"a":1}}`,
    `{"result":{"b":2},"result":{"a":1},"jsonrpc":"2.0","id":1}`,
    `{"jsonrpc":"2.0","id":1,"result":{"b":2},"result":{"a":1}}`,
  ])('is written again when its text cannot be cut out beyond doubt: %s', (text) => {
    const result = arrive(text)
    expect(rawText(result)).toBeUndefined()
    expect(JSON.parse(encodeResult(1, result))).toMatchObject({ result: { a: 1 } })
  })

  it.each([
    `{"jsonrpc":"2.0","id":1,"result":{"a":1}x`,
    `{"jsonrpc":"2.0","id":1,"result":{"a":1}`,
    `{"result":{"a":1}x,"jsonrpc":"2.0","id":1}`,
    `{"result":{"a":1},"jsonrpc":"2.0","id":1}}`,
  ])('is not found in what is no JSON: %s', (text) => {
    expect(() => parseMessage(text)).toThrow(SyntaxError)
  })

  it.each([
    '{"jsonrpc":"2.0","id":12,"result":{"a":1}}',
    '{"result":{"a":1},"jsonrpc":"2.0","id":12}',
    '{"result":{"a":1},"id":12,"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":12,"result":[1]}',
    '{"jsonrpc":"2.0","id":12345678901234567,"result":{"a":1}}',
    '{"jsonrpc":"2.0","id":12,"error":{"code":1,"message":"no"}}',
  ])('comes in the message that was sent: %s', (text) => {
    expect(canonicalJson(parseMessage(text))).toBe(canonicalJson(parseExact(text)))
  })

  it('cannot answer another request by writing keys of the envelope twice', () => {
    const result = arrive('{"result":{"a":1},"id":7,"result":{"b":2},"jsonrpc":"2.0","id":1}')
    expect(JSON.parse(encodeResult(9, result))).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result: { b: 2 },
    })
  })

  it.each(['\n', '\r', '\r\n'])('is on one line, as every message on stdio is: %j', (end) => {
    const inner = `{"a":${end}{"jsonrpc":"2.0","id":7,"result":{"one":1.0}}${end}}`
    const sent = encodeResult(9, arrive(`{"jsonrpc":"2.0","id":1,"result":${inner}}`))
    expect(sent.split(/[\r\n]/)).toHaveLength(1)
    expect(sent).toContain('{"one":1.0}')
  })

  it('is not fooled by a result that looks like an envelope', () => {
    const inner = '{"x":{"jsonrpc":"2.0","id":5},"jsonrpc":"2.0"}'
    const result = arrive(`{"jsonrpc":"2.0","id":1,"result":${inner}}`)
    expect(JSON.parse(rawText(result) ?? 'null')).toEqual(JSON.parse(inner))
  })
})

describe('a result that was changed', () => {
  it('has no text, even as a copy', () => {
    const result = arrive(`{"jsonrpc":"2.0","id":1,"result":${RESULT}}`)
    expect(rawText({ ...result })).toBeUndefined()
    expect(encodeResult(1, { ...result, one: 2 })).toContain('"one":2')
  })

  it('keeps the text of the rest when a field is put in front', () => {
    const result = arrive(`{"jsonrpc":"2.0","id":1,"result":${RESULT}}`)
    const extended = withField(result, 'resultType', 'complete')
    expect(rawText(extended)).toBe(`{"resultType":"complete",${RESULT.slice(1)}`)
    expect(withField(result, 'one', 2)).toBe(result)
    expect(rawText(withField(arrive('{"jsonrpc":"2.0","id":1,"result":{}}'), 'a', 1))).toBe(
      '{"a":1}',
    )
  })

  it('is sent with a field in front, and the rest as it came', () => {
    const result = arrive(`{"jsonrpc":"2.0","id":1,"result":${RESULT}}`)
    const sent = toSendWithField(result, 'resultType', 'complete')
    expect(encodeResult(1, sent)).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",${RESULT.slice(1)}}`,
    )
    expect(toSendWithField(result, 'one', 2)).toBe(result)
    expect(toText(toSendWithField({ a: 1 }, 'b', 2))).toBe('{"b":2,"a":1}')
    expect(toText(toSendWithField(fromText('{}') ?? {}, 'b', 2))).toBe('{"b":2}')
    expect(toText(toSendWithField(fromText(' {"a":1}') ?? {}, 'b', 2))).toBe('{"b":2,"a":1}')
  })
})

it('comes out of a store as it went in, where it is an object', () => {
  const text = toText(arrive(`{"jsonrpc":"2.0","id":1,"result":${RESULT}}`))
  expect(toText(fromText(text) ?? {})).toBe(RESULT)
  expect(fromText('[1]')).toBeUndefined()
})

/** Removes a field, and returns the names that are left, and the text. */
function withoutType(text: string) {
  const result = withoutField(arrive(`{"jsonrpc":"2.0","id":1,"result":${text}}`), 'type')
  return [Object.keys(result), rawText(result)]
}

describe('a result without one of its fields', () => {
  it('keeps its text where the field was the first or the last', () => {
    const kept = [['one', 'b'], '{"one":1.0,"b":"x"}']
    expect(withoutType('{"type":"done","one":1.0,"b":"x"}')).toEqual(kept)
    expect(withoutType('{"one":1.0,"b":"x","type":"done"}')).toEqual(kept)
  })

  it('is written again where the field was elsewhere', () => {
    expect(withoutType('{"one":1.0,"type":"done","b":"x"}')).toEqual([['one', 'b'], undefined])
    expect(withoutType('{"type":"done"}')).toEqual([[], undefined])
  })

  it('is the same where there was no such field', () => {
    const result = arrive(`{"jsonrpc":"2.0","id":1,"result":${RESULT}}`)
    expect(withoutField(result, 'type')).toBe(result)
  })
})
