import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../test/support/knowledge-service.ts'
import { isObject } from '../../base/json/json.ts'

const EXAMPLES = join(import.meta.dirname, '../../../test/fixtures/knowledge')
const STANDARD = join(EXAMPLES, 'hss-4210-2024.pdf')
const HANDBOOK = join(EXAMPLES, 'hoist-maintenance-handbook.md')

let knowledge: RunningKnowledge

beforeAll(async () => {
  knowledge = await startKnowledge()
  await knowledge.ask('knowledge_ingest', {
    url: STANDARD,
    source_type: 'standard',
    authority_tier: 'tier1',
  })
  await knowledge.ask('knowledge_ingest', { url: HANDBOOK })
})
afterAll(async () => knowledge.close())

async function best(query: string, more: Record<string, unknown> = {}) {
  const [first] = listOf(await knowledge.ask('knowledge_search', { query, ...more }), 'results')
  return first
}

it('declares the tools of every dialect', async () => {
  const { tools } = await knowledge.service.handle('tools/list', {}, never())
  const names = listOf({ tools }, 'tools').map(({ name }) => name)
  expect(names).toEqual(
    `knowledge_search knowledge_stats knowledge_ingest knowledge_sources knowledge_assess knowledge_preflight
     knowledge_acquire knowledge_request knowledge_rcca knowledge_trade knowledge_explore knowledge_plan
     list_collections knowledge_lookup knowledge_requirements knowledge_keyword_search knowledge_health
     knowledge_delete knowledge_jobs`.split(/\s+/),
  )
  await expect(JSON.stringify(tools, null, 2)).toMatchFileSnapshot('tools.snapshot.txt')
})

describe('failures', () => {
  it.each([
    ['an empty query', 'knowledge_search', { query: '  ' }, 'Query is required'],
    ['an unknown tool', 'nope', {}, 'Unknown tool: nope'],
    ['an unknown source type', 'knowledge_sources', { source_type: 'website' }, 'source_type'],
    ['a missing file', 'knowledge_ingest', { url: '/no/such/file.md' }, 'does not exist'],
    ['a job that is not', 'knowledge_jobs', { job_id: 'x' }, 'no job x'],
    ['nothing to delete', 'knowledge_delete', {}, 'Say what to delete'],
  ])('tell %s in isError and in the body', async (_, tool, args, message) => {
    const result = await knowledge.call(tool, args)
    expect(result['isError']).toBe(true)
    const body = JSON.parse(JSON.stringify(result['structuredContent']))
    expect(body).toMatchObject({
      isError: true,
      error: expect.stringContaining(message),
      code: expect.stringMatching(/^(?:invalid_input|not_found)$/),
      recoverable: false,
      suggestion: expect.any(String),
    })
  })

  it('are outages, not empty lists, when the database is gone', async () => {
    const broken = await startKnowledge()
    await broken.storage.close()
    const result = await broken.call('knowledge_search', { query: 'brake' })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result)).not.toContain('Nothing was found')
  })
})

it('looks up a term, and near misses of one that is not defined', async () => {
  expect(await knowledge.ask('knowledge_lookup', { term: 'Slack rope' })).toMatchObject({
    found: true,
    definition: expect.stringContaining('below 2 %'),
    citation: expect.stringContaining('Clause 3.3'),
  })
  expect(await knowledge.ask('knowledge_lookup', { term: 'overspede' })).toMatchObject({
    found: false,
    similar_terms: [{ term: 'overspeed', similarity: expect.any(Number) }],
  })
})

it('gives only what binds, sentence by sentence', async () => {
  const body = await knowledge.ask('knowledge_requirements', {
    topic: 'controller software update',
    standard: 'HSS 4210',
  })
  const [first] = listOf(body, 'results')
  expect(first?.['requirements']).toContain('An update SHALL be signed.')
  for (const { normative } of listOf(body, 'results')) expect(normative).toBe(true)
  const none = await knowledge.ask('knowledge_requirements', {
    topic: 'brake',
    standard: 'ISO 26262',
  })
  expect(none).toMatchObject({ total: 0, message: expect.any(String) })
})

it('assesses what is covered and what is missing', async () => {
  const body = await knowledge.ask('knowledge_assess', {
    areas: ['holding brake capacity', 'nuclear reactor cooling'],
  })
  expect(listOf(body, 'covered').map(({ area }) => area)).toEqual(['holding brake capacity'])
  expect(listOf(body, 'gaps')).toMatchObject([
    { area: 'nuclear reactor cooling', priority: 'high' },
  ])
  expect(body['summary']).toMatchObject({
    total_areas: 2,
    coverage_ratio: 0.5,
    overall_priority: 'high',
  })
})

it('finds the root cause of a described failure and remembers the question', async () => {
  const body = await knowledge.ask('knowledge_rcca', {
    query: 'load sinks while drive is off',
    project_id: 'p1',
  })
  const [first] = listOf(body, 'results')
  expect(first?.['rcca_metadata']).toMatchObject({
    root_cause: expect.stringContaining('oil'),
    resolution: expect.stringContaining('renew the lining'),
    symptoms: [expect.stringContaining('sinks')],
  })
  const queries = await knowledge.storage.db.selectFrom('knowledge_queries').selectAll().execute()
  expect(queries).toMatchObject([{ project_id: 'p1', workflow: 'rcca' }])
})

it('compares alternatives by criteria, with values and sources', async () => {
  const body = await knowledge.ask('knowledge_trade', {
    query: 'choosing a brake',
    alternatives: ['disc brake', 'band brake'],
    criteria: ['responds', 'costs'],
  })
  const alternatives = listOf(body, 'alternatives')
  expect(alternatives[0]).toMatchObject({
    name: 'disc brake',
    criteria: [
      { name: 'responds', value: '120 ms' },
      { name: 'costs', value: expect.stringContaining('4 800') },
    ],
  })
  expect(alternatives[1]).toMatchObject({
    name: 'band brake',
    criteria: [{ value: '350 ms' }, { value: expect.stringContaining('1 900') }],
  })
})

it('explores the facets it is asked for', async () => {
  const body = await knowledge.ask('knowledge_explore', { query: 'holding brake' })
  expect(body['facets_explored']).toEqual([
    'definitions',
    'examples',
    'standards',
    'best_practices',
  ])
  expect(JSON.stringify(body['results_by_facet'])).toContain('brake that holds the load')
  const own = await knowledge.ask('knowledge_explore', { query: 'brake', facets: ['wear'] })
  expect(own['facets_explored']).toEqual(['wear'])
  expect(own['facet_coverage']).toMatchObject({ wear: expect.any(Number) })
  const facets = Array.from({ length: 21 }, (_, n) => `facet${n}`)
  const refused = await knowledge.call('knowledge_explore', { query: 'brake', facets })
  expect(refused).toMatchObject({ isError: true })
})

it('supports planning with templates, risks, lessons and precedents', async () => {
  const body = await knowledge.ask('knowledge_plan', { query: 'maintenance campaign' })
  const { categories } = body
  if (!isObject(categories)) throw new TypeError('No categories')
  const text = (category: string) => JSON.stringify(categories[category])
  expect(text('risks')).toContain('late delivery')
  expect(text('lessons_learned')).toContain('crane calendar')
  expect(text('precedents')).toContain('north quay')
  expect(text('templates')).toContain('Order linings')
})

it('lists sources by their properties, page by page, and tells their numbers', async () => {
  const all = await knowledge.ask('knowledge_sources', {})
  expect(all['total']).toBe(2)
  const standards = listOf(
    await knowledge.ask('knowledge_sources', { source_type: 'standard', authority_tier: 'tier1' }),
    'sources',
  )
  expect(standards).toMatchObject([{ url: STANDARD, status: 'complete', page_count: 15 }])
  expect(await knowledge.ask('knowledge_stats')).toMatchObject({
    documents: 2,
    status: 'green',
    config: { hybrid_enabled: false },
  })
  expect(listOf(await knowledge.ask('list_collections'), 'collections')).toMatchObject([
    { name: 'knowledge', documents: 2 },
  ])
  expect(await knowledge.ask('knowledge_health')).toMatchObject({
    checks: [
      { name: 'database', ok: true },
      { name: 'index', ok: true },
    ],
  })
})

it('keeps the three states of bindingness apart', async () => {
  expect(await best('Portolan fictional society readers may copy', { n_results: 1 })).toMatchObject(
    { normative: null },
  )
  expect(await best('halving the interval', { n_results: 1 })).toMatchObject({ normative: false })
  expect(await best('rope breaking strength', { n_results: 1 })).toMatchObject({ normative: true })
})

it('deletes a source with all its passages', async () => {
  const other = await startKnowledge()
  await other.ask('knowledge_ingest', { url: HANDBOOK })
  expect(await other.ask('knowledge_delete', { url: HANDBOOK })).toMatchObject({ deleted: 1 })
  expect(await other.ask('knowledge_search', { query: 'brake' })).toMatchObject({ total: 0 })
  expect((await other.call('knowledge_delete', { url: HANDBOOK }))['isError']).toBe(true)
  await other.close()
})

function never() {
  return {
    signal: new AbortController().signal,
    agent: undefined,
    isRemote: false,
    headers: {},
    project: async () => ({ path: '/', source: 'cwd' as const }),
    progress() {},
  }
}
