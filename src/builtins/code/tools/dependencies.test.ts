import { describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aProject,
  anIndexedShop,
} from '../../../../test/support/code-project.ts'

describe('symbols and dependencies', () => {
  it('finds definitions, uses and the outline of a file', async () => {
    const { client } = await anIndexedShop()
    expect(await client.object('find_symbol', { name: 'ShoppingCart.total*' })).toMatchObject({
      symbols: [
        { file_path: 'src/cart.ts', qualified_name: 'ShoppingCart.totalPrice', start_line: 8 },
      ],
    })
    const uses = await client.object('find_references', { name: 'price' })
    expect(uses).toMatchObject({ total: 3, is_complete: true })
    expect(uses['references']).toContainEqual(
      expect.objectContaining({ file_path: 'src/price.ts', is_definition: true }),
    )
    expect(await client.object('outline', { file: 'src/cart.ts' })).toMatchObject({
      symbols: [{ name: 'ShoppingCart' }, { name: 'totalPrice' }],
    })
  })

  it('answers the four graph tools in the shapes of the contract', async () => {
    const { client } = await anIndexedShop()
    expect(await client.object('get_file_dependencies', { file: 'src/cart.ts' })).toEqual({
      file: 'src/cart.ts',
      depth: 1,
      dependencies: [
        {
          target_file: 'src/price.ts',
          target_symbol: 'price',
          dep_type: 'import',
          module: './price.js',
          metadata: { kind: 'import', line: 1 },
        },
      ],
      total: 1,
    })
    expect(
      await client.object('get_file_dependencies', { file: 'src/cart.ts', depth: 2 }),
    ).toMatchObject({
      tree: { file: 'src/cart.ts', children: [{ file: 'src/price.ts', children: [] }] },
    })
    expect(
      await client.object('get_file_impact', { file: './src/price.ts', depth: 99 }),
    ).toMatchObject({
      depth: 20,
      impact_tree: { children: [{ file: 'src/cart.ts', dep_type: 'import' }] },
    })
    expect(
      await client.object('get_batch_impact', { files: ['src/price.ts', 'nope.ts'] }),
    ).toMatchObject({
      files_requested: 2,
      results: [
        { file: 'src/price.ts' },
        {
          error: expect.stringMatching(
            /'nope\.ts' is not in the index\. (?:Give a path relative to|Did you mean) /,
          ),
        },
      ],
    })
    expect(await client.object('get_batch_dependencies', { files: ['src/cart.ts'] })).toMatchObject(
      { results: [{ total: 1 }] },
    )
  })

  it('suggests the file that was meant and says why one is missing', async () => {
    const root = aProject({ ...SHOP, '.gitignore': 'secret.ts\n', 'secret.ts': '' })
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: '.' })
    expect(await client.object('get_file_impact', { file: 'cart.ts' })).toMatchObject({
      message: expect.stringContaining('src/cart.ts'),
    })
    expect(await client.object('get_file_impact', { file: 'secret.ts' })).toMatchObject({
      message: expect.stringContaining('ignored (.gitignore)'),
    })
  })

  it('explains a search stage by stage', async () => {
    const { client } = await anIndexedShop()
    const answer = await client.object('analyze_query', { query: 'totalPrice', limit: 1 })
    expect(answer).toMatchObject({
      query_analysis: { original_query: 'totalPrice', has_identifier: true },
      search_mode: { mode: 'keyword' },
      keyword_search: {
        executed: true,
        results: [{ file_path: 'src/cart.ts', features: expect.any(Object) }],
      },
      cache: { hit: false },
      timings: { total_ms: expect.any(Number) },
      results: [{ file_path: 'src/cart.ts' }],
    })
  })
})
