import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallEvent } from '../../src/gateway/call.ts'
import type { AuditQuery, AuditSearch } from '../../src/telemetry/audit/audit-search.ts'
import type { Later } from './temp-folder.ts'

export interface AuditUnderTest {
  /** Records these events and returns the search. */
  readonly record: (events: readonly Readonly<CallEvent>[], later: Later) => Promise<AuditSearch>
}

const START = Date.parse('2026-03-01T12:00:00.000Z')

/** Returns the n-th call, one per second. */
function anEvent(n: number): Readonly<CallEvent> {
  return {
    id: `call-${n}`,
    operation: 'execute_tool',
    startedAt: START + n * 1_000,
    durationMs: 0,
    agent: n % 2 === 0 ? 'ada' : 'bob',
    folder: n % 4 === 0 ? '/home/ada/"shop"' : '/home/ada/shop',
    server: n % 3 === 0 ? 'files' : 'pg',
    tool: `tool${n % 4}`,
    decision: n % 10 === 0 ? 'DENY' : 'ALLOW',
    ...(n === 7 && { error: 'The "Flux" capacitor\nis broken' }),
  }
}

/** Tests that every audit search must pass, wherever the record is stored. */
export function testAuditSearch(where: string, { record }: AuditUnderTest): void {
  describe(`the record in ${where}`, () => {
    let search: AuditSearch
    const undo: (() => void | Promise<void>)[] = []
    beforeAll(async () => {
      const events = Array.from({ length: 40 }, (_, n) => anEvent(n))
      search = await record(events, (step) => void undo.push(step))
    })
    afterAll(async () => {
      for (const step of undo.toReversed()) await step()
    })

    async function found(query: Partial<AuditQuery>): Promise<unknown[]> {
      const { records } = await search.search({ limit: 100, ...query })
      return records.map((line) => Object(line['metadata']).call_id)
    }

    it('gives the newest first, as they were written', async () => {
      const { records, next } = await search.search({ limit: 2 })
      expect(records[0]).toMatchObject({
        timestamp: '2026-03-01T12:00:39.000Z',
        agent_id: 'bob',
        operation: 'execute_tool',
        decision: 'ALLOW',
        metadata: { call_id: 'call-39', server: 'files', tool: 'tool3' },
      })
      expect(records).toHaveLength(2)
      expect(next).toEqual(expect.any(String))
    })

    it('finds by folder, which may have any name', async () => {
      expect(await found({ folder: '/home/ada/shop' })).toHaveLength(30)
      expect(await found({ folder: '/home/ada/"shop"', agent: 'ada' })).toHaveLength(10)
      expect(await found({ folder: '/home/ada' })).toEqual([])
    })

    it('finds by agent, server, tool and decision, and by all of them together', async () => {
      expect(await found({ agent: 'ada' })).toHaveLength(20)
      expect(await found({ decision: 'DENY' })).toEqual(['call-30', 'call-20', 'call-10', 'call-0'])
      expect(await found({ server: 'files', tool: 'tool0' })).toHaveLength(4)
      expect(await found({ agent: 'ada', server: 'files', decision: 'DENY' })).toEqual([
        'call-30',
        'call-0',
      ])
      expect(await found({ agent: 'ad' })).toEqual([])
    })

    it('finds by operation, and calls whose text is elsewhere', async () => {
      expect(await found({ operation: 'execute_tool' })).toHaveLength(40)
      expect(await found({ operation: 'execute' })).toEqual([])
      expect(await found({ text: 'capacitor', ids: ['call-3', 'call-33', 'call'] })).toEqual([
        'call-33',
        'call-7',
        'call-3',
      ])
      expect(await found({ text: 'capacitor', ids: ['call-4'], agent: 'bob' })).toEqual(['call-7'])
    })

    it('finds by time: from one moment on, and before another', async () => {
      const since = START + 5_000
      expect(await found({ since, until: START + 8_000 })).toEqual(['call-7', 'call-6', 'call-5'])
    })

    it('finds words anywhere in the line, whatever their case', async () => {
      expect(await found({ text: 'the "flux" CAPACITOR\n' })).toEqual(['call-7'])
      expect(await found({ text: '100%_' })).toEqual([])
    })

    it('goes through all of it page by page, each once', async () => {
      const seen: unknown[] = []
      let cursor: string | undefined
      do {
        const page = await search.search({ limit: 7, agent: 'ada', cursor })
        seen.push(...page.records.map((line) => Object(line['metadata']).call_id))
        cursor = page.next
      } while (cursor !== undefined)
      expect(seen).toHaveLength(20)
      expect(new Set(seen).size).toBe(20)
    })
  })
}
