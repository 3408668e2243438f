import { describe, expect, it } from 'vitest'
import { anIndexedApi } from '../../../../test/support/a-code-api.ts'

describe('searching over the API', () => {
  it('answers with results, their number and the time they took', async () => {
    const api = await anIndexedApi()
    const { status, body } = await api.post('search', { query: 'shopping cart', limit: 1 })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        total: 1,
        results: [{ file_path: 'src/cart.ts', content: expect.stringContaining('ShoppingCart') }],
        query_time_ms: expect.any(Number),
        notes: [{ type: 'search_context', index_name: 'shop' }],
      },
    })
    expect(body).not.toHaveProperty('original_query')
    expect(body).not.toHaveProperty('results.0.dependencies')
    const withDeps = await api.post('search', {
      query: 'shopping cart',
      limit: 1,
      include_deps: true,
      language: 'typescript',
      symbol_type: 'class',
    })
    expect(withDeps).toMatchObject({ body: { results: [{ dependencies: [{}] }] } })
  })

  it('says what is wrong by its status', async () => {
    const api = await anIndexedApi()
    expect(await api.post('search', { query: 'x', index_name: 'none' })).toMatchObject({
      status: 404,
      body: { success: false, error: expect.stringContaining("Index 'none' not found") },
    })
    expect(await api.post('search', { query: 'x', language: 'klingon' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("Unknown language 'klingon'") },
    })
    const broken = await api.fetch('search', { method: 'POST', body: '{' })
    expect(broken.status).toBe(400)
    const large = { query: 'x'.repeat(1 << 20) }
    expect(await api.post('search', large)).toMatchObject({ status: 413 })
  })

  it('explains a search, and passes every tool on as it answers', async () => {
    const api = await anIndexedApi()
    expect(await api.post('analyze', { query: 'totalPrice' })).toMatchObject({
      status: 200,
      body: { success: true, query_analysis: { has_identifier: true } },
    })
    expect(await api.post('tools/find_symbol', { name: 'price' })).toMatchObject({
      body: { symbols: [{ file_path: 'src/price.ts' }] },
    })
    expect(await api.post('tools/search_code', { query: 'x', index_name: 'none' })).toMatchObject({
      status: 200,
      body: [{ error: 'Index not found' }],
    })
  })

  it('draws the graph around a file', async () => {
    const api = await anIndexedApi()
    expect(await api.post('deps', { file: 'src/cart.ts' })).toMatchObject({
      body: { tree: { children: [{ file: 'src/price.ts' }] } },
    })
    expect(await api.post('deps/impact', { file: 'src/price.ts' })).toMatchObject({
      body: { impact_tree: { children: [{ file: 'src/cart.ts' }] } },
    })
    expect((await api.get('deps/graph?file=src/price.ts')).body).toEqual({
      file: 'src/price.ts',
      nodes: [
        { id: 'src/price.ts', label: 'price.ts', is_external: false },
        { id: 'src/cart.ts', label: 'cart.ts', is_external: false },
      ],
      edges: [{ source: 'src/cart.ts', target: 'src/price.ts', type: 'import' }],
    })
    expect(await api.get('deps/graph?file=none.ts')).toMatchObject({ status: 404 })
  })
})
