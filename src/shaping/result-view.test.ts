import { describe, expect, it } from 'vitest'
import { dataOf, viewOf } from './result-view.ts'

const ROWS = [{ id: 1 }, { id: 2 }]
const resultOf = (text: string, structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text', text }],
  structuredContent,
})

describe('a result whose text and structured content say the same', () => {
  it.each([
    ['an object', JSON.stringify({ rows: ROWS }, null, 2), { rows: ROWS }],
    ['a list under `result`', JSON.stringify(ROWS), { result: ROWS }],
    ['a text under `result`', 'one line', { result: 'one line' }],
    ['an object with such a field', JSON.stringify({ result: ROWS }, null, 2), { result: ROWS }],
  ])('counts once: %s', (_, text, structured) => {
    expect(viewOf(resultOf(text, structured))).toMatchObject({ mirrored: true, texts: [text] })
  })

  it.each([
    ['more beside the list', { result: ROWS, total: 2 }],
    ['another list', { result: [{ id: 3 }] }],
    ['another name', { rows: ROWS }],
  ])('counts twice where it is not the same: %s', (_, structured) => {
    const view = viewOf(resultOf(JSON.stringify(ROWS), structured))
    expect(view.mirrored).toBe(false)
    expect(view.texts).toHaveLength(2)
  })
})

describe('a result of several blocks', () => {
  const text = JSON.stringify({ rows: ROWS })
  const content = [
    { type: 'text', text },
    { type: 'text', text: 'and more' },
  ]

  it('says more than its structured content, even where one block is the same', () => {
    expect(viewOf({ content, structuredContent: { rows: ROWS } })).toMatchObject({
      mirrored: false,
      texts: [text, 'and more', text],
    })
  })

  it('is read as its blocks; one of a single text as what that says', () => {
    expect(dataOf({ content })).toEqual(content)
    expect(dataOf({ content: content.slice(0, 1) })).toEqual({ rows: ROWS })
    expect(dataOf({ content: content.slice(1) })).toBe('and more')
    expect(dataOf({ content, structuredContent: { a: 1 } })).toEqual({ a: 1 })
    expect(dataOf({ contents: [] })).toEqual({ contents: [] })
  })
})

it('reads structured content without any block, and counts images apart from texts', () => {
  expect(viewOf({ content: [], structuredContent: { a: 1 } })).toMatchObject({
    mirrored: true,
    texts: ['{"a":1}'],
    media: 0,
  })
  const image = { type: 'image', data: 'AAAA' }
  expect(viewOf({ content: [image, image, { type: 'text', text: 'x' }] })).toMatchObject({
    mirrored: false,
    structured: undefined,
    texts: ['x'],
    media: 2,
  })
})
