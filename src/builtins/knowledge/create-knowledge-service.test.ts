import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../test/support/knowledge-service.ts'

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
    `knowledge_search knowledge_stats knowledge_ingest knowledge_sources knowledge_preflight
     knowledge_acquire knowledge_request list_collections knowledge_lookup knowledge_requirements knowledge_keyword_search knowledge_read knowledge_health
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

const PROMPTS = ['assess', 'rcca', 'trade', 'explore', 'plan']

it('offers its ways of working as prompts that fill in what is given', async () => {
  expect(knowledge.service.capabilities).toHaveProperty('prompts')
  const { prompts } = await knowledge.service.handle('prompts/list', {}, never())
  expect(listOf({ prompts }, 'prompts').map(({ name }) => name)).toEqual(
    PROMPTS.map((name) => `knowledge_${name}`),
  )
  expect(prompts).toContainEqual(
    expect.objectContaining({
      name: 'knowledge_trade',
      arguments: expect.arrayContaining([
        expect.objectContaining({ name: 'query', required: true }),
        { name: 'criteria', description: expect.any(String) },
      ]),
    }),
  )
  const text = await promptText('knowledge_trade', { query: 'a brake', criteria: 'cost, {query}' })
  expect(text).toContain('for: a brake.')
  expect(text).toContain('Criteria: cost, {query}.')
  expect(text).toContain('Alternatives: those that the documents name.')
  expect(text).toContain('n_results 20')
})

it.each(PROMPTS)('prompts for %s with tools that it has', async (name) => {
  const text = await promptText(`knowledge_${name}`, { query: 'q', areas: 'a' })
  const { tools } = await knowledge.service.handle('tools/list', {}, never())
  const known = listOf({ tools }, 'tools').map((tool) => tool['name'])
  const named = text.match(/knowledge_\w+/g) ?? []
  expect(named).toContain('knowledge_search')
  expect(known).toEqual(expect.arrayContaining(named))
})

it('refuses a prompt it does not have, and one without what it needs', async () => {
  await expect(promptText('knowledge_nothing', {})).rejects.toThrow('Unknown prompt')
  await expect(promptText('knowledge_assess', {})).rejects.toThrow('knowledge_assess needs areas')
})

async function promptText(name: string, args: Record<string, string>): Promise<string> {
  const params = { name, arguments: args }
  const { messages } = await knowledge.service.handle('prompts/get', params, never())
  const [message] = listOf({ messages }, 'messages')
  return String(Object(message?.['content']).text)
}

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
