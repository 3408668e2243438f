import { expect, it } from 'vitest'
import { readResult } from './read-result.ts'

const text = (value: unknown) => ({
  type: 'text',
  text: typeof value === 'string' ? value : JSON.stringify(value),
})
const image = (mimeType: string, data = 'AAAA') => ({ type: 'image', data, mimeType })

it('shows a list of objects as a table, wherever it is', () => {
  const rows = [
    { id: 1, name: 'a' },
    { id: 2, note: 'b' },
  ]
  const table = { kind: 'records', rows, columns: ['id', 'name', 'note'] }
  expect(readResult({ content: [text(rows)] })).toEqual([table])
  expect(readResult({ content: [], structuredContent: { total: 2, results: rows } })).toEqual([
    { kind: 'json', value: { total: 2 } },
    table,
  ])
  expect(readResult({ content: [text([])] })).toEqual([{ kind: 'json', value: [] }])
})

it('shows structured content once, when the text repeats it', () => {
  const value = { a: { b: 1 } }
  expect(readResult({ content: [text(value)], structuredContent: value })).toEqual([
    { kind: 'json', value },
  ])
  expect(readResult({ content: [text('In words')], structuredContent: value })).toHaveLength(2)
})

it('shows images that run nothing, and all else as data', () => {
  expect(readResult({ content: [image('image/png')] })).toEqual([
    { kind: 'image', type: 'image/png', source: 'data:image/png;base64,AAAA' },
  ])
  for (const odd of [image('image/svg+xml'), image('text/html'), image('image/png', '"><script>')])
    expect(readResult({ content: [odd] })).toEqual([{ kind: 'json', value: odd }])
})

it('leaves text that only begins like JSON as it is', () => {
  expect(readResult({ content: [text('[note] hello')] })).toEqual([
    { kind: 'text', text: '[note] hello' },
  ])
})
