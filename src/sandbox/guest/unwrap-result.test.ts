import { expect, it } from 'vitest'
import { unwrapResult } from './unwrap-result.ts'

const text = (value: string) => ({ type: 'text', text: value })

it.each([
  ['structured content', { content: [text('{"a":2}')], structuredContent: { a: 1 } }, '{"a":1}'],
  ['a text that is JSON', { content: [text(' [1, 2]')] }, ' [1, 2]'],
  ['any other text', { content: [text('two')] }, '"two"'],
  ['a text that is a number', { content: [text('2')] }, '"2"'],
  ['a text that only begins like JSON', { content: [text('[x]')] }, '"[x]"'],
  ['several blocks', { content: [text('{"a":1}'), text('b')] }, '[{"a":1},"b"]'],
  ['no block', { content: [] }, '[]'],
  ['an image', { content: [{ type: 'image', data: 'AA' }] }, '{"type":"image","data":"AA"}'],
])('takes the value out of %s', (_, result, expected) => {
  expect(unwrapResult(JSON.stringify(result))).toBe(expected)
})

it('keeps every digit', () => {
  const result = '{"content":[],"structuredContent":{"id":12345678901234567890,"price":0.10}}'
  expect(unwrapResult(result)).toBe('{"id":12345678901234567890,"price":0.1}')
  const inText = '{"content":[{"type":"text","text":"{\\"id\\":12345678901234567890}"}]}'
  expect(unwrapResult(inText)).toBe('{"id":12345678901234567890}')
})
