import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { SHOP, aCodeClient, aProject, resultsOf } from '../../../../../test/support/code-project.ts'
import {
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../../../test/support/embedding-server.ts'

let server: EmbeddingServer
beforeEach(async () => {
  server = await startEmbeddingServer()
})
afterEach(async () => server.close())

const refuse: EmbeddingServer['trouble'][number] = (response) => response.writeHead(401).end()

function embedding() {
  return {
    PORTOLAN_CODE_EMBEDDING_PROVIDER: 'openai',
    PORTOLAN_CODE_EMBEDDING_MODEL: 'words',
    PORTOLAN_CODE_EMBEDDING_BASE_URL: server.baseUrl,
  }
}

function aShopWithVectors() {
  const root = aProject(SHOP)
  return { root, client: aCodeClient(root, { env: embedding() }) }
}

/** The texts sent since then, without the question how long a vector is. */
const askedSince = (request: number): string[] =>
  server.requests
    .slice(request)
    .flatMap(({ input }) => input.filter((text) => text !== 'dimension'))

describe('search with an embedder', () => {
  it('finds by words and by vectors, and says which', async () => {
    const { client } = aShopWithVectors()
    const indexed = await client.object('index_codebase', { path: '.' })
    expect(indexed['embedding']).toMatchObject({ ok: true })
    const [first] = resultsOf(await client.list('search_code', { query: 'shopping cart' }))
    expect(first).toMatchObject({
      file_path: 'src/cart.ts',
      match_type: 'both',
      vector_score: expect.any(Number),
      keyword_score: expect.any(Number),
    })
    const alone = resultsOf(
      await client.list('search_code', { query: 'shopping cart', use_hybrid_search: false }),
    )
    expect(new Set(alone.map((item) => item['match_type']))).toEqual(new Set(['semantic']))
  })

  it('embeds only what changed, and keeps vectors over a restart', async () => {
    const { root, client } = aShopWithVectors()
    await client.call('index_codebase', { path: '.' })
    await client.close()
    const asked = server.requests.length
    const again = aCodeClient(root, { home: client.home, env: embedding() })
    await again.list('search_code', { query: 'cart' })
    expect(askedSince(asked)).toEqual(['cart'])
    writeFileSync(join(root, 'src/price.ts'), 'export function novelty() {}\n')
    await again.list('search_code', { query: 'novelty' })
    expect(askedSince(asked)).toEqual([
      'cart',
      expect.stringContaining('File: src/price.ts'),
      'novelty',
    ])
  })

  it('embeds the project once, however many searches come first', async () => {
    const { root, client } = aShopWithVectors()
    const plain = aCodeClient(root, { home: client.home })
    await plain.call('index_codebase', { path: '.' })
    await plain.close()
    const queries = ['shopping cart', 'price of an item', 'checkout']
    await Promise.all(queries.map(async (query) => client.list('search_code', { query })))
    const files = askedSince(0).filter((text) => text.startsWith('File: '))
    expect(files).toHaveLength(new Set(files).size)
    expect(files).not.toEqual([])
  })

  it('answers by words and says so when the embedder refuses; by vectors alone it is an error', async () => {
    const { client } = aShopWithVectors()
    await client.call('index_codebase', { path: '.' })
    server.trouble.push(refuse)
    const items = await client.list('search_code', { query: 'shopping cart please' })
    expect(resultsOf(items)[0]).toMatchObject({ file_path: 'src/cart.ts', match_type: 'both' })
    expect(items).toContainEqual(expect.objectContaining({ type: 'embedding_unavailable' }))
    server.trouble.push(refuse)
    const failed = await client.list('search_code', {
      query: 'another question',
      use_hybrid_search: false,
    })
    expect(failed).toMatchObject([{ error: 'Embedding error', results: [] }])
  })

  it('explains both ways of searching', async () => {
    const { client } = aShopWithVectors()
    const { index_name: name } = await client.object('index_codebase', { path: '.' })
    expect(await client.object('analyze_query', { query: 'shopping cart' })).toMatchObject({
      search_mode: { mode: 'hybrid' },
      vector_search: {
        results: expect.arrayContaining([expect.objectContaining({ file_path: 'src/cart.ts' })]),
      },
      fusion: { executed: true },
    })
    expect(await client.object('index_stats', { index_name: name })).toMatchObject({
      embedding_provider: 'openai',
      embedding_model: 'words',
    })
  })

  it('sends neither code nor key where the project says, and tells so', async () => {
    const thief = await startEmbeddingServer()
    onTestFinished(async () => thief.close())
    const yaml = `embedding:\n  provider: openai\n  baseUrl: ${thief.baseUrl}/\${PASSWORD}\n`
    const root = aProject({ ...SHOP, 'cocosearch.yaml': yaml })
    const secrets = { PASSWORD: 'pw', PORTOLAN_CODE_EMBEDDING_API_KEY: 'sk-operator' }
    const told = expect.stringContaining('PORTOLAN_CODE_EMBEDDING_BASE_URL')
    const alone = aCodeClient(root, { env: secrets })
    expect(await alone.object('index_codebase', { path: '.' })).toMatchObject({
      success: true,
      config_warnings: expect.arrayContaining([told]),
    })
    const items = await alone.list('search_code', { query: 'shopping cart' })
    expect(resultsOf(items)[0]).toMatchObject({ file_path: 'src/cart.ts' })
    expect(items).toContainEqual({
      type: 'config_warning',
      warning: 'Settings of cocosearch.yaml are ignored',
      message: told,
    })
    const named = aCodeClient(root, { env: { ...secrets, ...embedding() } })
    expect(await named.object('index_codebase', { path: '.' })).toMatchObject({
      embedding: { ok: true },
    })
    expect(server.requests.length).toBeGreaterThan(0)
    expect(thief.requests).toEqual([])
  })
})
