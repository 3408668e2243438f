import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HashEmbedder, hashEmbedder } from '../../../test/support/hash-embedder.ts'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../test/support/knowledge-service.ts'
import { type WebSite, startWebSite } from '../../../test/support/web-site.ts'
import { writePdf } from '../../../test/support/write-pdf.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Block } from './documents/document.ts'

/** What the public system does wrong, as its contract lists it (B.8): each test fails on that behaviour. */
describe('the known defects', () => {
  let knowledge: RunningKnowledge
  let embedder: HashEmbedder
  let site: WebSite

  beforeEach(async () => {
    embedder = hashEmbedder()
    site = await startWebSite({
      '/robots.txt': { body: '' },
      '/p': { body: '<h1>Tides</h1><p>High water at noon.</p>' },
    })
    knowledge = await startKnowledge({ embedder, fetch: { allowedHosts: [site.host] } })
  })
  afterEach(async () => {
    await knowledge.close()
    await site.close()
  })

  async function ingest(
    name: string,
    bytes: string | Uint8Array,
    more: Record<string, unknown> = {},
  ) {
    await writeFile(join(knowledge.home, name), bytes)
    return knowledge.ask('knowledge_ingest', { url: name, ...more })
  }

  async function search(query: string, more: Record<string, unknown> = {}) {
    return listOf(await knowledge.ask('knowledge_search', { query, ...more }), 'results')
  }

  it('1: what is ingested is stored, with its vectors', async () => {
    expect(await ingest('a.md', '# Ropes\n\nRopes are wound on drums.')).toMatchObject({
      status: 'complete',
      chunk_count: 1,
    })
    expect(await search('ropes drums')).toHaveLength(1)
    expect(await knowledge.ask('knowledge_stats')).toMatchObject({
      total_chunks: 1,
      vectors_count: 1,
    })
  })

  it('2: a web page that is complete can be found', async () => {
    const { status } = await knowledge.ask('knowledge_ingest', { url: `${site.origin}/p` })
    expect(status).toBe('complete')
    expect((await search('high water'))[0]).toMatchObject({ document_title: 'Tides' })
  })

  it.each(['document', 'web', 'standard'])(
    '3: the source type %s of the schema is accepted and filters',
    async (type) => {
      const url = type === 'web' ? `${site.origin}/p` : 'a.md'
      await writeFile(join(knowledge.home, 'a.md'), 'words of a file')
      await knowledge.ask('knowledge_ingest', { url, source_type: type, authority_tier: 'tier2' })
      const found = await knowledge.ask('knowledge_sources', {
        source_type: type,
        authority_tier: 'tier2',
        status: 'complete',
      })
      expect(found).toMatchObject({ total: 1 })
      expect(await knowledge.ask('knowledge_sources', { authority_tier: 'tier1' })).toMatchObject({
        total: 0,
      })
    },
  )

  it('4: an outage is an error and not "no results"', async () => {
    embedder.fail('connect ECONNREFUSED')
    await ingest('a.md', 'Ropes are wound on drums.')
    expect(await knowledge.ask('knowledge_ingest', { url: 'a.md' })).toMatchObject({
      isError: true,
      code: 'connection_error',
      recoverable: true,
      retryable: true,
      results: [],
    })
  })

  it.each([
    ['fails', () => embedder.fail('connect ECONNREFUSED')],
    ['hangs', () => embedder.hang()],
  ])('4: an embedder that %s leaves search by words, marked', async (_, breakIt) => {
    await ingest('a.md', 'Ropes are wound on drums.')
    expect(await knowledge.ask('knowledge_search', { query: 'ropes' })).not.toHaveProperty(
      'lexical_only',
    )
    breakIt()
    expect(await knowledge.ask('knowledge_search', { query: 'ropes' })).toMatchObject({
      lexical_only: true,
      warning: expect.stringContaining('by words alone'),
    })
    expect(await search('ropes')).toHaveLength(1)
    expect(await knowledge.ask('knowledge_health')).toMatchObject({
      status: 'degraded',
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'database', ok: true }),
        expect.objectContaining({ name: 'embedder', ok: false }),
      ]),
    })
  })

  it('4: an embedder that hangs from the start takes no search by words away', async () => {
    await ingest('a.md', 'Ropes are wound on drums.')
    const hanging = hashEmbedder()
    hanging.hang()
    const again = await startKnowledge({
      embedder: hanging,
      storage: await openStorage({ home: knowledge.home }),
    })
    try {
      expect(await again.ask('knowledge_keyword_search', { query: 'ropes' })).toMatchObject({
        total: 1,
      })
      expect(await again.ask('knowledge_search', { query: 'ropes' })).toMatchObject({
        total: 1,
        lexical_only: true,
      })
      expect(await again.ask('knowledge_stats')).toMatchObject({
        total_chunks: 1,
        vectors_count: null,
      })
    } finally {
      await again.close()
    }
  })

  it('5: use_hybrid and hybrid_weight change what is found', async () => {
    await ingest('a.md', '# One\n\nThe truck carries sand.')
    await ingest('b.md', '# Two\n\nTrucks and ships and planes.')
    expect(await search('lorries', { use_hybrid: false })).toHaveLength(0)
    expect((await search('lorries')).length).toBeGreaterThan(0)
    const score = async (weight: number) =>
      (await search('lorry sand', { hybrid_weight: weight }))[0]?.['score']
    expect(await score(0)).not.toBe(await score(1))
  })

  it('6: PDF headings nest by their level, not by where they stand', async () => {
    const blocks: Block[] = ['1 First', '1.1 Under', '2 Second', '3 Third'].flatMap(
      (text): Block[] => [
        { kind: 'heading', level: text.includes('.') ? 3 : 2, text },
        { kind: 'paragraph', text: `Words about ${text} in a sentence. `.repeat(30) },
      ],
    )
    await ingest('a.pdf', writePdf(blocks).bytes)
    const [third] = await search('words about 3 Third', { metadata: 'full' })
    expect(third?.['metadata']).toMatchObject({ section_hierarchy: ['3 Third'] })
  })

  it('6: a section that shares a passage is cited with the headings above itself', async () => {
    const sections = ['## 1.1 Ropes\n\nOf hemp.', '## 1.2 Hooks\n\n### 1.2.1 Latches\n\nOf brass.']
    await ingest('a.md', `# 1 Gear\n\n${sections.join('\n\n')}`)
    const [latches] = await search('latches of brass', { metadata: 'full' })
    expect(latches).toMatchObject({
      clause_number: '1.2.1',
      metadata: { section_hierarchy: ['1 Gear', '1.2 Hooks', '1.2.1 Latches'] },
    })
  })

  it('a question as long as a book is answered for its beginning, in no time', async () => {
    await ingest('a.md', '# 1 Ropes\n\nRopes are of hemp.')
    await ingest('b.md', '# 7 Needles\n\nNeedles are of bone.')
    const long = `${'rope '.repeat(100_000)} needles`
    for (const [query, match] of Object.entries({ 'rope needles': 'both', [long]: 'meaning' })) {
      const found = await search(query, { metadata: 'full' })
      const needles = found.find(({ clause_number: clause }) => clause === '7')
      expect(needles?.['metadata']).toMatchObject({ match })
    }
  })

  it('6: a long paragraph is split and not cut off', async () => {
    await ingest('a.md', `# 1 Long\n\n${'The hoist turns. '.repeat(3000)}And the needle is found.`)
    expect((await search('needle'))[0]?.['content']).toContain('And the needle is found.')
  })

  it('6: a number in prose is no clause, and nothing said is null and not false', async () => {
    await ingest(
      'a.md',
      '# Registration\n\nOwners may register within 10 days and should note the form.',
    )
    expect((await search('register'))[0]).toMatchObject({ clause_number: null, normative: null })
  })

  it('6: a recommendation is told from a requirement', async () => {
    await ingest('a.md', '# 1 Wear\n\nWear SHOULD be measured.')
    expect((await search('wear', { metadata: 'full' }))[0]).toMatchObject({
      metadata: { obligation: 'recommendation' },
    })
    expect(await knowledge.ask('knowledge_requirements', { topic: 'wear' })).toMatchObject({
      total: 0,
    })
    expect(
      await knowledge.ask('knowledge_requirements', {
        topic: 'wear',
        include_recommendations: true,
      }),
    ).toMatchObject({ total: 1 })
  })

  it('7: a preflight really asks the network', async () => {
    await knowledge.ask('knowledge_preflight', { url: `${site.origin}/p` })
    expect(site.requests).toEqual(['200 /robots.txt', '200 /p'])
  })

  it('8: sources are listed page by page, updated and deleted', async () => {
    await ingest('a.md', 'first words')
    await ingest('b.md', 'second words')
    const pages = await Promise.all(
      [0, 1].map(async (offset) => knowledge.ask('knowledge_sources', { limit: 1, offset })),
    )
    expect(new Set(pages.map((page) => listOf(page, 'sources')[0]?.['title'])).size).toBe(2)
    await ingest('a.md', 'changed words')
    expect(await search('first', { use_hybrid: false })).toHaveLength(0)
    const [source] = listOf(await knowledge.ask('knowledge_sources'), 'sources')
    expect(await knowledge.ask('knowledge_delete', { source_id: source?.['id'] })).toMatchObject({
      deleted: 1,
    })
    expect(await knowledge.ask('knowledge_sources')).toMatchObject({ total: 1 })
  })
})
