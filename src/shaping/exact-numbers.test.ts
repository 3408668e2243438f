import { describe, expect, it } from 'vitest'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { createHandles } from './handles.ts'
import { createMemoryStore } from './handles/result-store.ts'
import { createShaper } from './shaper.ts'
import { countTokens } from './tokens.ts'

/** The text of a summary of at most so many tokens. */
async function summary(text: string, maxTokens: number): Promise<string> {
  const handles = createHandles(createMemoryStore({ ttlMs: 60_000, maxBytes: 1 << 26 }))
  const shaper = createShaper({ keep: async (result, agent) => handles.keep(result, agent) })
  const allowance = {
    owner: 'ada',
    from: { server: 's', tool: 't' },
    arguments: {},
    outputSchema: undefined,
  }
  const given: JsonObject = { content: [{ type: 'text', text }] }
  const { result } = await shaper.shape(given, { ...allowance, maxTokens })
  const [block] = Array.isArray(result['content']) ? result['content'] : []
  return isObject(block) ? String(block['text']) : ''
}

const digits = (row: number) => `90071992547409${93 + row}`

describe('numbers that no double can hold', () => {
  it('keep their digits in every notation of a summary', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, row) =>
        `{"id":${digits(row)},"name":"row ${row}","owner":{"id":${digits(row % 2)},"name":"${'same '.repeat(20)}"}}`,
    )
    for (const maxTokens of [300, 600, 1000, 1500, 2500]) {
      const shown = (await summary(`[${rows.join(',')}]`, maxTokens)).match(/\d{16,}/g) ?? []
      expect(shown.length).toBeGreaterThan(1)
      expect(shown.filter((id) => !rows.some((row) => row.includes(`:${id},`)))).toEqual([])
      expect(new Set(shown).size).toBeGreaterThan(1)
    }
  })

  it('keep their digits where only white space goes', async () => {
    const numbers = Array.from({ length: 30 }, (_, row) => digits(row))
    const tight = `[${numbers.join(',')}]`
    const spaced = `[${numbers.join(',\n\n  ')}]`
    expect(await summary(spaced, countTokens(tight))).toBe(tight)
  })
})
