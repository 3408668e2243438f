import { describe, expect, it } from 'vitest'
import { viewOf } from './result-view.ts'

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
