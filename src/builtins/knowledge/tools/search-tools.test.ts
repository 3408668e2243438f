import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type RunningKnowledge,
  bodyOf,
  listOf,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { countTokens } from '../../../shaping/tokens.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../test/fixtures/knowledge')

let knowledge: RunningKnowledge

beforeAll(async () => {
  knowledge = await startKnowledge()
  const url = join(EXAMPLES, 'hss-4210-2024.pdf')
  await knowledge.ask('knowledge_ingest', { url, source_type: 'standard', authority_tier: 'tier1' })
  await knowledge.ask('knowledge_ingest', { url: join(EXAMPLES, 'hoist-maintenance-handbook.md') })
})
afterAll(async () => knowledge.close())

const silentEmbedder: Embedder = {
  identity: 'silent',
  dimension: async () => 8,
  embed: async () => new Promise<never>(() => {}),
  close: async () => {},
}

const NOBODY = {
  signal: new AbortController().signal,
  agent: undefined,
  isRemote: false,
  headers: {},
  project: async () => ({ path: EXAMPLES, source: 'cwd' as const }),
  progress() {},
}

async function best(query: string, more: Record<string, unknown> = {}) {
  const [first] = listOf(await knowledge.ask('knowledge_search', { query, ...more }), 'results')
  return first
}

const anObject = z.record(z.string(), z.unknown())

describe('knowledge_search', () => {
  it('answers in the fields of both dialects, with a citation that names clause and page', async () => {
    const body = await knowledge.ask('knowledge_search', {
      query: 'how long must the holding brake hold the load without slip',
    })
    const [first] = listOf(body, 'results')
    expect(first).toMatchObject({
      score: expect.any(Number),
      document_title: 'HSS 4210:2024 Harbour Cargo Hoists — Safety and Verification',
      section_title: '5.2.1 Capacity',
      document_type: 'standard',
      normative: true,
      clause_number: '5.2.1',
      citation:
        'HSS 4210:2024 Harbour Cargo Hoists — Safety and Verification, Clause 5.2.1 (Capacity), p.7',
      relevance: expect.stringMatching(/^\d+%$/),
      metadata: {
        clause_number: '5.2.1',
        normative: true,
        page_numbers: [7],
      },
    })
    expect(first?.['content']).toContain('150 % of the rated load for 60 minutes')
    expect(body).toMatchObject({
      query: 'how long must the holding brake hold the load without slip',
      total: 10,
      count: 10,
    })
  })

  it('says little about each passage unless it is asked for more', async () => {
    const query = 'how long must the holding brake hold the load without slip'
    const [compact, full] = await Promise.all([best(query), best(query, { metadata: 'full' })])
    const keys = ['document_id', 'chunk_id', 'clause_number', 'normative', 'page_numbers']
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(compact?.['metadata']))).toEqual(
      keys,
    )
    expect(full?.['metadata']).toMatchObject({
      standard: 'HSS 4210:2024',
      obligation: 'requirement',
      match: 'words',
      section_hierarchy: expect.any(Array),
    })
    const { metadata: _, ...rest } = full ?? {}
    expect(compact).toMatchObject(rest)
  })

  it('lists the bounds of the number of results that it keeps to', async () => {
    const { tools } = await knowledge.service.handle('tools/list', {}, NOBODY)
    const search = z
      .array(z.object({ name: z.string(), inputSchema: z.looseObject({}) }))
      .parse(tools)
      .find(({ name }) => name === 'knowledge_search')
    expect(search?.inputSchema).toMatchObject({
      properties: { n_results: { type: 'integer', minimum: 1, maximum: 50, default: 10 } },
    })
  })

  it('clamps the number of results and keeps scores between 0 and 1, best first', async () => {
    const many = listOf(
      await knowledge.ask('knowledge_search', { query: 'hoist brake load', n_results: 500 }),
      'results',
    )
    expect(many.length).toBeGreaterThan(10)
    expect(many.length).toBeLessThanOrEqual(50)
    const scores = many.map(({ score }) => Number(score))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    expect(
      listOf(await knowledge.ask('knowledge_search', { query: 'hoist', n_results: 0 }), 'results'),
    ).toHaveLength(1)
  })

  it('filters by document type, kind of passage, bindingness, clause and metadata', async () => {
    expect(await best('brake', { document_type: 'handbook' })).toMatchObject({
      document_type: 'handbook',
    })
    expect(await best('overspeed', { chunk_type: 'definition' })).toMatchObject({
      clause_number: '3.5',
    })
    expect(await best('reliability interval', { normative_only: true })).toMatchObject({
      normative: true,
    })
    expect(await best('brake', { clause: 'A.1' })).toMatchObject({
      clause_number: expect.stringMatching(/^A\.1/),
    })
    expect(await best('interval', { filter_dict: { normative: false } })).toMatchObject({
      normative: false,
    })
    expect(await best('brake', { filter_dict: { standard: 'HSS 4210' } })).toMatchObject({
      document_type: 'standard',
    })
    expect(await best('brake', { collection: 'nowhere' })).toBeUndefined()
  })

  it('refuses a filter it does not know instead of ignoring it', async () => {
    const result = await knowledge.call('knowledge_search', {
      query: 'brake',
      filter_dict: { colour: 'red' },
    })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['structuredContent'])).toContain('colour')
  })

  it('finds a clause by its number, and the right section of a shared passage', async () => {
    expect(await best('clause 5.5.2')).toMatchObject({ clause_number: '5.5.2' })
    expect(await best('what is slack rope')).toMatchObject({ clause_number: '3.3' })
  })

  it('leaves out what is below the threshold', async () => {
    const all = listOf(
      await knowledge.ask('knowledge_search', { query: 'brake lining oil', n_results: 50 }),
      'results',
    )
    const good = listOf(
      await knowledge.ask('knowledge_search', {
        query: 'brake lining oil',
        n_results: 50,
        score_threshold: 0.4,
      }),
      'results',
    )
    expect(good.length).toBeGreaterThan(0)
    expect(good.length).toBeLessThan(all.length)
  })

  it('adds neighbours and the section above on request', async () => {
    const first = await best('brake holding test acceptance mark moved', {
      neighbours: 1,
      parent_section: true,
    })
    expect(listOf(first ?? {}, 'neighbours').length).toBeGreaterThan(0)
    expect(first).toMatchObject({
      section_title: 'A.1.3 Acceptance',
      parent_section: {
        section_title: 'A.1 Brake holding test',
        content: expect.stringMatching(/^A\.1 Brake holding test/),
      },
    })
  })

  it.each([150, 300, 1000, 1500])(
    'keeps to max_tokens %i in what it sends, tells a citation at least, and what it left out',
    async (maxTokens) => {
      const asked = { query: 'brake', max_tokens: maxTokens }
      const { content, structuredContent } = await knowledge.call('knowledge_search', asked)
      const body = anObject.parse(structuredContent)
      const [{ text }] = z.tuple([z.object({ text: z.string() })]).parse(content)
      expect(countTokens(text)).toBeLessThanOrEqual(maxTokens)
      expect(body).toMatchObject({
        results: expect.arrayContaining([
          expect.objectContaining({ citation: expect.stringContaining('HSS 4210') }),
        ]),
      })
      const stubs = listOf(body, 'results').filter(({ truncated }) => truncated === true)
      expect(stubs.length > 0 || body['omitted_for_max_tokens'] !== undefined).toBe(true)
    },
  )

  it('shows the best whole and the others as one line by default, which knowledge_read opens', async () => {
    const asked = { query: 'brake', n_results: 50 }
    const { content, structuredContent } = await knowledge.call('knowledge_search', asked)
    const body = anObject.parse(structuredContent)
    const [{ text }] = z.tuple([z.object({ text: z.string() })]).parse(content)
    expect(countTokens(text)).toBeLessThanOrEqual(2000)
    const results = listOf(body, 'results')
    const stubs = results.filter(({ truncated }) => truncated === true)
    expect(results.indexOf(stubs[0] ?? {})).toBe(results.length - stubs.length)
    expect(body['next']).toContain('knowledge_read')
    const shape = z.looseObject({
      content: z.string(),
      metadata: z.object({ chunk_id: z.string() }),
    })
    const stub = shape.parse(stubs[0])
    expect(stub.content.length).toBeLessThanOrEqual(101)
    const read = await knowledge.ask('knowledge_read', {
      chunk_ids: [stub.metadata.chunk_id, 'gone'],
      neighbours: 1,
    })
    expect(read).toMatchObject({ missing: ['gone'], message: expect.stringContaining('search') })
    const [whole] = listOf(read, 'results')
    expect(whole).toMatchObject({
      citation: expect.stringContaining('HSS 4210'),
      neighbours: expect.any(Array),
    })
    expect(String(whole?.['content']).length).toBeGreaterThan(101)
  })

  it('takes a passage by the wording that it answers best', async () => {
    const alone = await best('zzzz')
    const asked = { query: 'zzzz', also: ['what is slack rope'], n_results: 1 }
    const [first] = listOf(await knowledge.ask('knowledge_search', asked), 'results')
    expect([alone, first?.['clause_number']]).toEqual([undefined, '3.3'])
  })

  it('suggests something when nothing is found', async () => {
    const body = await knowledge.ask('knowledge_search', { query: 'zzzz' })
    expect(body).toMatchObject({ results: [], total: 0, message: expect.any(String) })
    expect(body['suggestions']).not.toEqual([])
    const near = await knowledge.ask('knowledge_search', { query: 'overspede' })
    expect(JSON.stringify(near['suggestions'])).toContain('overspeed')
  })
})

it('answers in JSON when it takes too long', async () => {
  const slow = await startKnowledge({ answerWithinMs: 1, embedder: silentEmbedder })
  try {
    const result = await slow.call('knowledge_search', { query: 'brake' })
    expect(result['isError']).toBe(true)
    expect(bodyOf(result)).toMatchObject({
      code: 'timeout_error',
      retryable: true,
      isError: true,
      results: [],
      suggestion: expect.stringContaining('knowledge_health'),
    })
    expect(await slow.ask('knowledge_request', { url: 'https://example.org/a' })).toHaveProperty(
      'request_id',
    )
  } finally {
    await slow.close()
  }
})

it('gives requirements in lower case their sentences, and a permission beside them none', async () => {
  const other = await startKnowledge()
  try {
    const url = join(import.meta.dirname, '../../../../bench/normative/lifting-hooks.md')
    await other.ask('knowledge_ingest', { url })
    const body = await other.ask('knowledge_requirements', { topic: 'latch of the hook' })
    const latch = listOf(body, 'results').find((one) => one['clause_number'] === '4.2')
    expect(latch).toMatchObject({
      normative: true,
      requirements: [
        'A latch shall be fitted where the load can leave the mouth of the hook unintentionally.',
      ],
    })
    expect(JSON.stringify(body)).not.toContain('"NO PART OF')
    const alternative = await other.ask('knowledge_search', {
      query: 'may alternative materials be used',
      n_results: 1,
    })
    expect(listOf(alternative, 'results')[0]).toMatchObject({
      clause_number: '4.4',
      normative: false,
    })
  } finally {
    await other.close()
  }
})
