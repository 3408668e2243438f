import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testAuditSearch } from '../../../test/support/test-audit-search.ts'
import { toAuditEntry } from './audit-entry.ts'
import type { AuditQuery, AuditSearch } from './audit-search.ts'
import { createFileAuditSearch } from './file-audit-search.ts'

testAuditSearch('files', {
  async record(events, later) {
    const path = tempFolder(later).file('audit.jsonl')
    writeFileSync(path, events.map(toAuditEntry).join(''))
    return createFileAuditSearch({ path, keep: 1 })
  },
})

const START = Date.parse('2026-01-01T00:00:00Z')

/** Entry number `n`, one second after the one before. */
function entry(n: number): string {
  return toAuditEntry({
    id: `c${n}`,
    startedAt: START + n * 1_000,
    operation: 'tools/call',
    agent: n % 2 === 0 ? 'ada' : 'bob',
    server: `s${n % 5}`,
    tool: 'écho',
    decision: n % 10 === 0 ? 'DENY' : 'ALLOW',
    durationMs: 1,
    ...(n % 100 === 0 && { error: `Hundred "${n}" ☃` }),
  })
}

function entries(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, n) => entry(from + n)).join('')
}

function aRecord(from: number, to: number) {
  const path = tempFolder().file('audit.jsonl')
  writeFileSync(path, entries(from, to))
  return path
}

async function idsOf(search: AuditSearch, query: Partial<AuditQuery> = {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await search.search({ limit: 50, ...query, cursor })
    ids.push(...page.records.map((record) => JSON.stringify(record['metadata'])))
    cursor = page.next
  } while (cursor !== undefined)
  return ids.map((text) => /"call_id":"(\w+)"/.exec(text)?.[1] ?? '')
}

describe('a search in the audit files', () => {
  it('gives every entry once, newest first, over all rotated files and all pages', async () => {
    const path = aRecord(200, 300)
    writeFileSync(`${path}.1`, entries(100, 200))
    writeFileSync(`${path}.2`, entries(0, 100))
    const search = createFileAuditSearch({ path, keep: 5 })
    const expected = Array.from({ length: 300 }, (_, n) => `c${299 - n}`)
    expect(await idsOf(search)).toEqual(expected)
    expect(await idsOf(search, { limit: 7 })).toEqual(expected)
  })

  it('finds by agent, server, tool, decision, text and time, alone and together', async () => {
    const search = createFileAuditSearch({ path: aRecord(0, 400), keep: 1 })
    expect(await idsOf(search, { agent: 'ada' })).toHaveLength(200)
    expect(await idsOf(search, { server: 's3', agent: 'bob' })).toHaveLength(40)
    expect(await idsOf(search, { tool: 'écho', decision: 'DENY' })).toHaveLength(40)
    expect(await idsOf(search, { agent: 'ad' })).toEqual([])
    expect(await idsOf(search, { text: 'HUNDRED "300" ☃' })).toEqual(['c300'])
    const since = START + 10_000
    expect(await idsOf(search, { since, until: START + 13_000 })).toEqual(['c12', 'c11', 'c10'])
    expect(await idsOf(search, { since, until: START + 13_000, agent: 'bob' })).toEqual(['c11'])
  })

  it('goes on in the same file after it was rotated between two pages', async () => {
    const path = aRecord(0, 30)
    const search = createFileAuditSearch({ path, keep: 3 })
    const first = await search.search({ limit: 10 })
    renameSync(path, `${path}.1`)
    writeFileSync(path, entries(30, 40))
    const second = await search.search({ limit: 5, cursor: first.next })
    expect(second.records.map((record) => record['metadata'])).toMatchObject(
      [19, 18, 17, 16, 15].map((n) => ({ call_id: `c${n}` })),
    )
  })

  it('ends where the file of its place is gone', async () => {
    const path = aRecord(0, 30)
    const search = createFileAuditSearch({ path, keep: 1 })
    const { next } = await search.search({ limit: 10 })
    renameSync(path, `${path}.9`)
    expect(await search.search({ limit: 10, cursor: next })).toMatchObject({ records: [] })
  })

  it('passes over lines that a full disk has cut', async () => {
    const path = aRecord(0, 2)
    appendFileSync(path, `${entry(2).slice(0, 60)}\n\nnot json\n${entry(3)}`)
    expect(await idsOf(createFileAuditSearch({ path, keep: 1 }))).toEqual(['c3', 'c1', 'c0'])
  })

  it('is empty before the first call, and says what is wrong with a cursor', async () => {
    const search = createFileAuditSearch({ path: tempFolder().file('audit.jsonl'), keep: 5 })
    expect(await search.search({ limit: 5 })).toEqual({ records: [], scanned: 0 })
    await expect(search.search({ limit: 5, cursor: '../etc' })).rejects.toThrow('not a cursor')
  })

  it('stops after so many lines, and goes on with the next page', async () => {
    const search = createFileAuditSearch({ path: aRecord(0, 100), keep: 1, maxLines: 30 })
    const page = await search.search({ limit: 10, text: 'hundred "0"' })
    expect(page).toMatchObject({ records: [], scanned: 30, next: expect.any(String) })
    expect(await idsOf(search, { text: 'hundred "0"' })).toEqual(['c0'])
  })

  it('looks through twenty thousand entries without making anybody wait', async () => {
    const search = createFileAuditSearch({ path: aRecord(0, 20_000), keep: 1 })
    const begun = performance.now()
    const found = await search.search({ limit: 50, text: 'hundred "100"' })
    expect(found.records).toHaveLength(1)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})
