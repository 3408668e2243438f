import { expect, it } from 'vitest'
import type { Allowance } from '../gateway/layers/budgets.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { createShaper } from './shaper.ts'
import { countTokens } from './tokens.ts'

const shaper = createShaper({ keep: async () => 'r_1' })

function allowance(maxTokens: number): Allowance {
  return {
    maxTokens,
    owner: 'ada',
    from: { server: 's', tool: 't' },
    arguments: {},
    outputSchema: undefined,
  }
}

const textResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] })

function textAt(result: JsonObject, index: number): string {
  const block: unknown = Array.isArray(result['content']) ? result['content'][index] : undefined
  return isObject(block) ? String(block['text']) : ''
}

it('counts an image that stays, and says how large the original was', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
  const text = 'word '.repeat(3000)
  const content = [image, { type: 'text', text }]
  const { result, tokenCount, tokensSaved } = await shaper.shape({ content }, allowance(4000))
  expect(result['content']).toEqual([image, { type: 'text', text: textAt(result, 1) }])
  expect(tokenCount).toBe(1600 + countTokens(textAt(result, 1)))
  expect(tokensSaved).toBe(1600 + countTokens(text) - tokenCount)
  expect(result['_meta']).toMatchObject({
    'portolan/summary': { tokens: 1600 + countTokens(text), estimated: false },
  })
})

it('says that the size of a very long original is an estimate', async () => {
  const { result } = await shaper.shape(textResult('word '.repeat(60_000)), allowance(500))
  expect(result['_meta']).toMatchObject({ 'portolan/summary': { estimated: true } })
})

it('cuts a plain text that is a little too long', async () => {
  const text = 'a few words '.repeat(100)
  const { result } = await shaper.shape(textResult(text), allowance(countTokens(text) - 10))
  expect(textAt(result, 0)).toContain(`of ${text.length} characters omitted; read_result handle`)
})

it('leaves the text beside other structured content a quarter of the allowance', async () => {
  const body = 'much to say of it, '.repeat(20)
  const items = Array.from({ length: 50 }, (_, id) => ({ id, title: `Issue ${id}`, body }))
  const structured = { items }
  const given = { ...textResult('words about it '.repeat(900)), structuredContent: structured }
  const { result, tokenCount } = await shaper.shape(given, allowance(2000))
  const beside = countTokens(textAt(result, 0))
  expect(beside).toBeGreaterThan(300)
  expect(beside).toBeLessThanOrEqual(500)
  expect(result['structuredContent']).toMatchObject({ _summarized: true })
  expect(tokenCount).toBeGreaterThan(beside + 300)
  expect(tokenCount).toBeLessThanOrEqual(2000)
  const small = await shaper.shape(given, allowance(100))
  expect(small.result['content']).toEqual([])
})
