import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { countTokens } from '../tokens.ts'
import { type JsonBudget, shapeJson } from './shape-json.ts'

function shaped(value: unknown, maxTokens: number, more: Partial<JsonBudget> = {}) {
  return shapeJson(value, {
    maxTokens,
    interest: { terms: new Set(), required: new Set() },
    originalTokens: countTokens(JSON.stringify(value)),
    estimated: false,
    handle: 'r_1',
    ...more,
  })
}

const THING = { id: 7, name: 'a thing', body: 'much to say of it, '.repeat(200) }
const ROWS = Array.from({ length: 9 }, (_, id) => ({ id, body: 'much to say of it, '.repeat(9) }))

describe('the note on what a summary left out', () => {
  it('stands among the fields of an object, and beside anything else', () => {
    const { value, text, tokens } = shaped(THING, 200)
    expect(Object.keys(value).slice(0, 3)).toEqual(['id', 'name', 'body'])
    expect(JSON.parse(text)).toEqual(value)
    expect(tokens).toBe(countTokens(text))
    expect(shaped(ROWS, 200).value).toMatchObject({ data: expect.anything(), _handle: 'r_1' })
  })

  it('stands beside an object that has a field of the same name, or is a table', () => {
    const own = { ...THING, _handle: 'mine' }
    expect(shaped(own, 200).value).toMatchObject({
      data: { id: 7, _handle: 'mine' },
      _handle: 'r_1',
    })
    for (const name of ['_rows', '_ref'])
      expect(shaped({ ...THING, [name]: 1 }, 200).value).toMatchObject({ data: { [name]: 1 } })
  })

  it('gives the exact sizes, and how much smaller the summary is', () => {
    const { value, tokens } = shaped(THING, 200)
    const originalTokens = countTokens(JSON.stringify(THING))
    expect(value).toMatchObject({
      _summarized: true,
      _original_token_count: originalTokens,
      _summary_token_count: tokens,
      _reduction_percent: Number((100 - (100 * tokens) / originalTokens).toFixed(1)),
      _next: expect.stringContaining('read_result'),
    })
    expect(value).not.toHaveProperty('_original_token_count_estimated')
    expect(shaped(THING, 200, { originalTokens: 10 }).value['_reduction_percent']).toBe(0)
  })

  it('says where the size of the original is an estimate, and what rules had left out', () => {
    const { value, missing } = shaped(THING, 200, { estimated: true, omitted: ['raw'] })
    expect(value).toMatchObject({ _original_token_count_estimated: true, _omitted: ['raw'] })
    expect(missing).toEqual(['raw'])
  })
})

describe('a small budget', () => {
  it.each([60, 70, 80, 100, 150])('of %d tokens is kept, with the identifier', (maxTokens) => {
    const { tokens, value } = shaped(THING, maxTokens)
    expect(tokens).toBeLessThanOrEqual(maxTokens)
    expect(value).toMatchObject({ id: 7, _summarized: true, _handle: 'r_1' })
  })

  it('that is too small for anything gets the way to read the original', () => {
    expect(shaped(THING, 5)).toMatchObject({
      text: '{"_summarized":true,"_handle":"r_1"}',
      missing: ['$'],
    })
  })
})

it('names the fields and the lists of which something is missing', () => {
  const rows = Array.from({ length: 3000 }, (_, id) => ({ id, note: `note ${id}` }))
  const { missing, value } = shaped({ rows, page: 1 }, 400)
  expect(missing).toEqual(expect.arrayContaining(['rows[]']))
  expect(value['_shown']).toMatchObject({ rows: expect.stringMatching(/ of 3000$/) })
  expect(shaped(ROWS, 5000).missing).toEqual([])
})

it('parses JSON that is held in a string once, however many attempts it takes', () => {
  const text = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` })))
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  expect(shaped({ result: text }, 300).text).toContain('row 1')
  expect(parse.mock.calls.filter(([given]) => given === text)).toHaveLength(1)
})
