import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../../../base/json/json.ts'
import { describe, expect, it } from 'vitest'
import { startChatServer } from '../../../../../test/support/chat-server.ts'
import {
  aCodeClient,
  aProject,
  anIndexedShop,
  resultsOf,
} from '../../../../../test/support/code-project.ts'
import { estimateTokens } from './fit-tokens.ts'

describe('search_code', () => {
  it('answers in the shape of the contract, context first', async () => {
    const { root, client } = await anIndexedShop()
    const [context, first] = await client.list('search_code', {
      query: 'total price of the shopping cart',
      include_deps: true,
    })
    expect(context).toMatchObject({
      type: 'search_context',
      searching: root,
      index_name: expect.any(String),
    })
    expect(first).toMatchObject({
      file_path: 'src/cart.ts',
      start_line: 1,
      language_id: 'typescript',
      symbol_type: 'class',
      symbol_name: 'ShoppingCart',
      symbol_signature: 'export class ShoppingCart {',
      match_type: 'both',
      dependencies: [
        {
          target_file: 'src/price.ts',
          target_symbol: 'price',
          dep_type: 'import',
          module: './price.js',
        },
      ],
      dependents: [],
    })
    expect(first?.['score']).toBe(1)
    expect(String(first?.['content'])).toContain('reduce')
  })

  it('takes a result by the wording that it fits best, and keeps the best of each', async () => {
    const { client } = await anIndexedShop()
    const files = async (query: string, also: string[]) =>
      resultsOf(await client.list('search_code', { query, also })).map((item) => item['file_path'])
    const vague = 'xylophone quartz'
    expect(await files(vague, [])).toEqual([])
    expect((await files(vague, ['total price of the shopping cart']))[0]).toBe('src/cart.ts')
    expect(await files('ShoppingCart', [vague])).toContain('src/cart.ts')
  })

  it('sees a change at once, and shows the text as it is on disk', async () => {
    const { root, client } = await anIndexedShop()
    writeFileSync(
      join(root, 'src/price.ts'),
      '// ünïcode 漢字\nexport function discountedPrice() {\n  return 1\n}\n',
    )
    const [found] = resultsOf(await client.list('search_code', { query: 'discountedPrice' }))
    expect(found).toMatchObject({ file_path: 'src/price.ts', symbol_name: 'discountedPrice' })
    expect(found?.['content']).toContain('// ünïcode 漢字')
    rmSync(join(root, 'src/price.ts'))
    const left = resultsOf(await client.list('search_code', { query: 'discountedPrice' }))
    expect(left.map((item) => item['file_path'])).not.toContain('src/price.ts')
  })

  it.each<[string, JsonObject, [type: string, name: string, first: number, last: number]]>([
    ['a type', { query: 'item', symbol_type: 'function' }, ['function', 'load_items', 9, 10]],
    ['a name', { query: 'item', symbol_name: 'get_item_2*' }, ['method', 'Store.get_item_2', 5, 6]],
    ['the query', { query: 'get_item_2' }, ['method', 'Store.get_item_2', 5, 6]],
    ['nothing', { query: 'item' }, ['class', 'Store', 1, 6]],
  ])(
    'labels a result with the symbol that %s asks for',
    async (_, args, [type, name, ...lines]) => {
      const methods = [1, 2].map((n) => `    def get_item_${n}(self):\n        return ${n}\n`)
      const root = aProject({
        'store.py': `class Store:\n${methods.join('\n')}\n\ndef load_items():\n    return Store()\n`,
      })
      const client = aCodeClient(root)
      await client.call('index_codebase', { path: '.' })
      const [found] = resultsOf(await client.list('search_code', args))
      expect(found).toMatchObject({
        symbol_type: type,
        block_type: type,
        symbol_name: name,
        hierarchy: name,
        symbol_signature: expect.stringContaining(name.replace('Store.', '')),
        symbol_lines: lines,
      })
    },
  )

  it.each([
    ['k8s.yaml', 'apiVersion: apps/v1\nkind: Deployment\n', 'kind:Deployment'],
    [
      'app.yaml',
      'apiVersion: argoproj.io/v1alpha1\nmetadata:\n  name: x\nkind: Application\n',
      'kind:Application',
    ],
    [
      'templates/a.yaml',
      '{{- if .Values.on }}\napiVersion: v1\nkind: Service\n{{ end }}\n',
      'kind:Service',
    ],
    ['templates/_names.tpl', '{{- define "x.name" -}}\nkind: Pod\n{{ end }}\n', 'define:x.name'],
    ['plain.yaml', 'apiVersion: v1\nnothing: more\n', 'key:apiVersion'],
  ])('names what %s declares', async (path, text, hierarchy) => {
    const client = aCodeClient(aProject({ [path]: `${text}# wanted\n` }))
    await client.call('index_codebase', { path: '.' })
    const [found] = resultsOf(await client.list('search_code', { query: 'wanted' }))
    expect(found).toMatchObject({ file_path: path, hierarchy })
  })

  it('filters by language, symbol type and symbol name before ranking', async () => {
    const { client } = await anIndexedShop()
    const paths = async (filter: Record<string, unknown>) =>
      resultsOf(await client.list('search_code', { query: 'cart price', ...filter })).map(
        (item) => item['file_path'],
      )
    expect(await paths({ language: 'py' })).toEqual(['src/checkout.py'])
    expect(await paths({ symbol_name: 'check*' })).toEqual(['src/checkout.py'])
    expect(await paths({ symbol_type: ['class'] })).toEqual(['src/cart.ts'])
  })

  it('says what is wrong with a filter, and which ones there are', async () => {
    const { client } = await anIndexedShop()
    const [badType] = await client.list('search_code', { query: 'x', symbol_type: 'klass' })
    expect(badType).toMatchObject({ error: 'Symbol filter error', results: [] })
    const [badLanguage] = await client.list('search_code', { query: 'x', language: 'klingon' })
    expect(badLanguage?.['message']).toMatch(/Unknown language 'klingon'. Known: .*typescript/)
  })

  it('explains an empty answer', async () => {
    const { client } = await anIndexedShop()
    const items = await client.list('search_code', { query: 'zzzzqqq', language: 'python' })
    expect(items[1]).toMatchObject({
      type: 'hint',
      message: expect.stringContaining('Try without language=python'),
    })
  })

  it('finds exact texts and patterns line by line', async () => {
    const { client } = await anIndexedShop()
    const exact = resultsOf(
      await client.list('search_code', { query: '.reduce((a, b)', mode: 'exact' }),
    )
    expect(exact).toMatchObject([
      { file_path: 'src/cart.ts', start_line: 9, symbol_name: 'ShoppingCart.totalPrice' },
    ])
    const regex = resultsOf(await client.list('search_code', { query: '^def \\w+', mode: 'regex' }))
    expect(regex).toMatchObject([
      { file_path: 'src/checkout.py', content: 'def checkout_cart(cart):' },
    ])
    const [bad] = await client.list('search_code', { query: '(', mode: 'regex' })
    expect(bad).toMatchObject({ error: 'Invalid pattern' })
  })

  it('ends a pattern that would run for ever', async () => {
    const root = aProject({ 'a.txt': `${'a'.repeat(60)}b\n` })
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: '.' })
    const [bad] = await client.list('search_code', { query: '^(a+)+$', mode: 'regex' })
    expect(bad).toMatchObject({
      error: 'Invalid pattern',
      message: expect.stringContaining('too long'),
    })
  }, 15_000)

  it('fits the answer into the tokens given, and says what became of the rest', async () => {
    const { client } = await anIndexedShop()
    const whole = await client.list('search_code', { query: 'cart price', max_tokens: null })
    const small = await client.list('search_code', { query: 'cart price', max_tokens: 150 })
    expect(JSON.stringify(small).length).toBeLessThan(JSON.stringify(whole).length)
    expect(small).toContainEqual({
      type: 'hint',
      message: expect.stringMatching(/^To fit max_tokens, \d+ results are shown as one line each/),
    })
    expect(JSON.stringify(whole)).not.toContain('max_tokens')
    const all = await client.list('search_code', { query: 'cart price', max_tokens: 400 })
    expect(estimateTokens(all)).toBeLessThanOrEqual(400)
  })

  it('answers within 2,000 tokens by default, with the text of the best and a line for the others', async () => {
    const files = Array.from({ length: 20 }, (_, n) => [
      `src/part${n}.ts`,
      `export function cart${n}(): void {\n${'  const price = basket() // of the cart\n'.repeat(30)}}\n`,
    ])
    const client = aCodeClient(aProject(Object.fromEntries(files)))
    await client.call('index_codebase', { path: '.' })
    const answer = await client.list('search_code', { query: 'price of the cart' })
    expect(JSON.stringify(answer).length).toBeLessThan(2_200 * 3.5)
    const results = resultsOf(answer)
    expect(results).toHaveLength(10)
    expect(results[0]).toMatchObject({ content: expect.stringContaining('\n') })
    expect(results[0]).not.toHaveProperty('is_stub')
    expect(results.at(-1)).toMatchObject({
      is_stub: true,
      content: expect.stringMatching(/^export function cart\d+/),
    })
    expect(results[0]).not.toHaveProperty('dependencies')
    const asked = { query: 'price of the cart', include_deps: true, max_tokens: null }
    expect(resultsOf(await client.list('search_code', asked))[0]).toHaveProperty('dependencies')
  })

  it('shows as many lines around a result as asked for', async () => {
    const root = aProject({
      'a.py': Array.from(
        { length: 200 },
        (_, n) => `value_${n} = ${n}  # filler filler filler`,
      ).join('\n'),
    })
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: '.' })
    const [found] = resultsOf(
      await client.list('search_code', { query: 'value_100', context_before: 2, context_after: 1 }),
    )
    expect(String(found?.['context_before']).split('\n')).toHaveLength(2)
    expect(String(found?.['context_after']).split('\n')).toHaveLength(1)
  })

  it('searches several indexes, names each, and reports those that are missing', async () => {
    const { client } = await anIndexedShop()
    const other = aProject({
      'lib/cart.go': 'package lib\n\nfunc CartTotal() int {\n\treturn 1\n}\n',
    })
    await client.call('index_codebase', { path: other, index_name: 'other' })
    const names = (await client.list('list_indexes')).map(({ name }) => name)
    const items = await client.list('search_code', {
      query: 'cart',
      index_names: [...names, 'gone'],
    })
    expect(items[0]).toMatchObject({ searching: 'cross-index', skipped_indexes: ['gone'] })
    expect(new Set(resultsOf(items).map((item) => item['index_name'])).size).toBe(2)
    const [none] = await client.list('search_code', { query: 'cart', index_names: ['gone'] })
    expect(none).toMatchObject({ error: 'Cross-index search error' })
  })

  it('hints at roots when the project was only guessed', async () => {
    const { root, client } = await anIndexedShop()
    const items = await client.list(
      'search_code',
      { query: 'cart' },
      { project: { path: root, source: 'cwd' } },
    )
    expect(items.at(-1)).toMatchObject({
      type: 'hint',
      message: expect.stringContaining('MCP Roots'),
    })
  })

  it('warns instead of waiting when the working tree cannot be checked in time', async () => {
    const { root, client } = await anIndexedShop({ freshnessBudgetMs: 0 })
    for (let n = 0; n < 400; n++)
      writeFileSync(join(root, `src/new${n}.ts`), `export const n${n} = ${n}\n`)
    const items = await client.list('search_code', { query: 'cart' })
    expect(items.at(-1)).toMatchObject({ type: 'staleness_warning', warning: 'Index may be stale' })
    expect(resultsOf(items).length).toBeGreaterThan(0)
    await client.close()
  })
})

describe('the query-rewrite controller', () => {
  it('improves the query, says so, and keeps out of exact searches and of who does not want it', async () => {
    const { baseUrl, requests } = await startChatServer('ShoppingCart totalPrice')
    const env = {
      PORTOLAN_CODE_CONTROLLER_ENABLED: 'true',
      PORTOLAN_CODE_CONTROLLER_BASE_URL: baseUrl,
    }
    const { client } = await anIndexedShop({ env })
    const query = 'how much is it?'
    const answer = await client.list('search_code', { query })
    expect(answer[1]).toEqual({
      type: 'query_rewrite',
      original: query,
      rewritten: 'ShoppingCart totalPrice',
    })
    expect(resultsOf(answer)[0]).toMatchObject({ file_path: 'src/cart.ts' })
    expect(await client.object('analyze_query', { query })).toMatchObject({
      query_analysis: {
        rewrite_enabled: true,
        rewritten: true,
        effective_query: 'ShoppingCart totalPrice',
      },
    })
    await client.list('search_code', { query, rewrite_query: false })
    await client.list('search_code', { query, mode: 'exact' })
    expect(requests).toHaveLength(2)
  })
})
