import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { rawText, rememberText } from '../../src/protocol/raw-text.ts'
import type { ResultStore } from '../../src/shaping/handles/result-store.ts'

export interface ResultStoreUnderTest {
  /** Opens the store that writes, and the one that reads: the same, or that of another replica. */
  readonly open: (options: {
    readonly ttlMs: number
  }) => Promise<readonly [keeping: ResultStore, asked: ResultStore]>
}

/** Tests that every store of results must pass, wherever they are stored. */
export function testResultStore(where: string, { open }: ResultStoreUnderTest): void {
  describe(`results kept in ${where}`, () => {
    it('come back byte for byte, numbers too large for JavaScript included', async () => {
      const [keeping, asked] = await open({ ttlMs: 60_000 })
      const text =
        '{"content":[{"type":"text","text":"\\u0000 ✓ \\ud83d"}], "n": 12345678901234567890, "x":1.0}'
      const result: Record<string, unknown> = JSON.parse(text)
      rememberText(result, text)
      await keeping.put('r_1', { agent: 'ada', result })
      const kept = await asked.get('r_1')
      expect(kept?.agent).toBe('ada')
      expect(rawText(kept?.result ?? {})).toBe(text)
    })

    it('come back when they have no text of their own', async () => {
      const [keeping, asked] = await open({ ttlMs: 60_000 })
      const result = { content: [{ type: 'text', text: 'x'.repeat(300_000) }] }
      await keeping.put('r_2', { agent: 'ada', result })
      const text = JSON.stringify((await asked.get('r_2'))?.result)
      expect(text === JSON.stringify(result)).toBe(true)
    })

    it.each([[{ server: 'crm', tool: 'list' }], [{ server: 'crm', tool: undefined }], [undefined]])(
      'come back with what they come from: %o',
      async (from) => {
        const [keeping, asked] = await open({ ttlMs: 60_000 })
        await keeping.put('r_4', { agent: 'ada', result: { content: [] }, from })
        expect((await asked.get('r_4'))?.from).toEqual(from)
      },
    )

    it('are forgotten after their time', async () => {
      const [keeping, asked] = await open({ ttlMs: 30 })
      await keeping.put('r_3', { agent: 'ada', result: { content: [] } })
      await sleep(50)
      expect(await asked.get('r_3')).toBeUndefined()
      expect(await asked.get('r_never')).toBeUndefined()
    })
  })
}
