import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type CodeClient,
  aCodeClient,
  aFolder,
  aProject,
  git,
} from '../../../../test/support/code-project.ts'
import * as graph from '../../../../test/support/code-graph-shapes.ts'
import * as shapes from '../../../../test/support/code-shapes.ts'

/** A project with something of everything: code, a parse error, no grammar, configuration, documents. */
const FILES = {
  'src/cart.ts': `import { price as cost } from './price.js'\nimport 'zod'\n\nexport class ShoppingCart {\n  totalPrice(): number {\n    return cost('x')\n  }\n}\n`,
  'src/price.ts': 'export function price(item: string): number {\n  return item.length\n}\n',
  'src/broken.py': 'def broken(:\n    return (\n',
  'src/app.swift': 'class App {\n    func run() {}\n}\n',
  '.github/workflows/ci.yml':
    'on: push\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n',
  'deploy/app.yaml': 'apiVersion: v1\nkind: Service\n',
  'docs/guide.md': 'See [the cart](../src/cart.ts).\n',
}

let root: string
let client: CodeClient

beforeEach(async () => {
  root = aRepository()
  client = aCodeClient(root)
  await client.call('index_codebase', { path: '.', index_name: 'shop' })
})

function aRepository(): string {
  const folder = aProject(FILES)
  git(folder, 'init', '-q')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'first')
  return folder
}

/** Indexed, and then on another branch with more new files than can be read at once. */
async function aChangedProject(): Promise<{ changed: string; home: string }> {
  const changed = aRepository()
  const before = aCodeClient(changed)
  await before.call('index_codebase', { path: '.', index_name: 'changed' })
  await before.close()
  git(changed, 'checkout', '-qb', 'other')
  git(changed, 'commit', '-qm', 'second', '--allow-empty')
  for (let n = 0; n < 400; n++)
    writeFileSync(join(changed, `new${n}.ts`), `export const n = ${n}\n`)
  return { changed, home: before.home }
}

/** A strict shape knows every field: a new one is added there, in sight of the contract. */
function check(schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new Error(`${z.prettifyError(parsed.error)}\n${JSON.stringify(value)}`)
}

const NAMED = { index_name: 'shop' }

describe('the results of the contract', () => {
  it.each([
    ['ranked', { query: 'totalPrice' }],
    ['exact', { query: 'return', mode: 'exact' }],
    ['regex', { query: 'total\\w+', mode: 'regex' }],
    ['without dependencies', { query: 'totalPrice', include_deps: false, smart_context: false }],
    ['cut to fit', { query: 'price', max_tokens: 60 }],
    ['filtered', { query: 'price', language: 'ts', symbol_type: ['function'], symbol_name: 'pr*' }],
  ])('search_code, %s', async (_, args) => {
    const [context, ...items] = await client.list('search_code', { ...args, ...NAMED })
    check(shapes.searchContext, context)
    check(z.array(z.union([shapes.searchResult, shapes.resultStub, shapes.note])).nonempty(), items)
    expect(items[0]).toHaveProperty('file_path')
  })

  it('search_code where the project is detected ends with the hint', async () => {
    const here = aProject(FILES)
    const other = aCodeClient(here)
    await other.call('index_codebase', { path: '.' })
    const project = { path: here, source: 'env' as const }
    const answer = await other.list('search_code', { query: 'price' }, { project })
    check(shapes.searchContext, answer[0])
    expect(answer.at(-1)).toEqual({
      type: 'hint',
      message: expect.stringContaining('by a variable of the environment'),
    })
  })

  it('search_code over several indexes, with what is stale before the results', async () => {
    const second = aProject({ 'b.ts': 'export const price = 2\n' })
    await client.call('index_codebase', { path: second, index_name: 'second' })
    const index_names = ['shop', 'second', 'gone']
    const [context, ...items] = await client.list('search_code', {
      query: 'price',
      index_names,
    })
    check(shapes.crossContext, context)
    expect(context).toMatchObject({ index_names: ['shop', 'second'], skipped_indexes: ['gone'] })
    check(z.array(shapes.searchResult.required({ index_name: true })).nonempty(), items)
    const stats = await client.object('index_stats', { index_name: 'second' })
    check(shapes.indexStats, stats)
    const analysed = await client.object('analyze_query', { query: 'price', index_names })
    check(shapes.analysisOfSeveral, analysed)
    check(
      shapes.analysis,
      await client.object('analyze_query', { query: 'price', index_name: 'second' }),
    )
    await client.call('clear_index', { index_name: 'second' })
  })

  it.each([
    ['Symbol filter error', { query: 'x', symbol_type: 'thing', ...NAMED }],
    ['Unknown language', { query: 'x', language: 'klingon', ...NAMED }],
    ['Invalid pattern', { query: '(', mode: 'regex', ...NAMED }],
    ['Index not found', { query: 'x', index_name: 'shpo' }],
    ['Index not found', { query: 'x' }],
    ['Cross-index search error', { query: 'x', index_names: ['a', 'b'] }],
  ])('search_code fails as one item: %s', async (error, args) => {
    const answer = await client.list('search_code', args)
    check(z.array(shapes.inBandError).length(1), answer)
    expect(answer[0]).toMatchObject({ error, results: [] })
  })

  it('search_code fails as one item where nothing was ever indexed, or the name is taken', async () => {
    const empty = aCodeClient(aFolder())
    expect(await empty.list('search_code', { query: 'x', index_name: 'y' })).toEqual([
      {
        error: 'Database not initialized',
        message: "Index a codebase first using index_codebase(path='.')",
        results: [],
      },
    ])
    const twin = aProject({ ...FILES, 'cocosearch.yaml': 'indexName: shop\n' })
    const project = { path: twin, source: 'roots' as const }
    const [collision] = await client.list('search_code', { query: 'x' }, { project })
    check(shapes.inBandError, collision)
    expect(collision).toMatchObject({ error: 'Index name collision' })
  })

  it('search_code and the dependency tools warn where the index could not follow the working tree', async () => {
    const { changed, home } = await aChangedProject()
    const late = { home, freshnessBudgetMs: 0 }
    const [one, two] = [aCodeClient(changed, late), aCodeClient(changed, late)]
    const index_name = 'changed'
    const answer = await one.list('search_code', { query: 'price', index_name })
    const file = 'src/cart.ts'
    const dependencies = await two.object('get_file_dependencies', { file, index_name })
    await one.close()
    await two.close()
    const [branch, stale] = answer.slice(-2)
    check(shapes.branchStaleness, branch)
    check(shapes.staleness, stale)
    expect(branch).toMatchObject({
      indexed_branch: 'main',
      current_branch: 'other',
      message: expect.stringContaining('Run `portolan code index /'),
    })
    check(graph.fileDependencies, dependencies)
    expect(dependencies).toMatchObject({
      warnings: [{ type: 'deps_branch_drift' }, { type: 'deps_outdated' }],
    })
  })

  it.each([['price'], ['how is the total price computed']])(
    'analyze_query: every stage of %s with its time',
    async (query) => {
      const answer = await client.object('analyze_query', { query, ...NAMED })
      check(shapes.analysis, answer)
      expect(answer).toMatchObject({
        search_mode: { mode: query.includes(' ') ? 'hybrid' : 'keyword' },
        cache: { checked: false },
      })
    },
  )

  it('list_indexes and index_stats', async () => {
    check(z.array(shapes.indexListed).nonempty(), await client.list('list_indexes'))
    const all = await client.list('index_stats')
    check(z.array(shapes.indexStats).nonempty(), all)
    const stats = await client.object('index_stats', { include_failures: true, ...NAMED })
    check(shapes.indexStats, stats)
    expect(stats).toMatchObject({
      status: 'indexed',
      branch: 'main',
      branch_commit_count: 1,
      commits_behind: 0,
      warnings: [],
      parse_stats: { parse_health_pct: 50, total_files: 4, total_ok: 2 },
      parse_failures: [
        {
          file_path: 'src/app.swift',
          parse_status: 'no_grammar',
          error_message: expect.stringContaining('No grammar'),
        },
        {
          file_path: 'src/broken.py',
          parse_status: 'partial',
          error_message: expect.stringMatching(/^ERROR nodes at lines: /),
        },
      ],
      grammar_failures: [],
    })
    check(shapes.inBandError, await client.object('index_stats', { index_name: 'none' }))
  })

  it('index_codebase and clear_index, with what is linked to them', async () => {
    const [one, two] = [aProject(FILES), aProject(FILES)]
    writeFileSync(join(two, 'cocosearch.yaml'), 'linkedIndexes: [one, missing]\n')
    check(shapes.indexed, await client.object('index_codebase', { path: one, index_name: 'one' }))
    const second = await client.object('index_codebase', { path: two, index_name: 'two' })
    check(shapes.indexed, second)
    expect(second).toMatchObject({ linked_index_warnings: [expect.stringContaining('missing')] })
    const failed = await client.object('index_codebase', { path: '/no/such/folder' })
    check(shapes.failed, failed)
    expect(failed['error']).toMatch(/^Failed to index codebase: /)
    const cleared = await client.object('clear_index', { index_name: 'one' })
    check(shapes.cleared, cleared)
    expect(cleared['linked_index_warnings']).toEqual([expect.stringContaining("'two'")])
    check(
      shapes.clearedSeveral,
      await client.object('clear_index', { index_names: ['two', 'one'] }),
    )
    check(shapes.failed, await client.object('clear_index', { index_name: 'one' }))
    check(shapes.failed, await client.object('clear_index'))
  })

  it('open_dashboard', async () => {
    const answer = await client.object('open_dashboard')
    check(shapes.failed, answer)
    expect(answer['error']).toContain('portolan serve')
  })

  it('the dependency tools', async () => {
    const file = { file: 'src/cart.ts', ...NAMED }
    const direct = await client.object('get_file_dependencies', file)
    check(graph.fileDependencies, direct)
    expect(direct).toMatchObject({ depth: 1, total: 2 })
    const tree = await client.object('get_file_dependencies', { ...file, depth: 50 })
    check(graph.fileTree, tree)
    expect(tree).toMatchObject({ depth: 20 })
    check(graph.fileImpact, await client.object('get_file_impact', file))
    const files = { files: ['src/cart.ts', 'docs/guide.md', 'none.ts'], ...NAMED }
    const results = { files_requested: 3, depth: 1, results: expect.any(Array) }
    const batch = await client.object('get_batch_dependencies', files)
    check(graph.batch(z.union([graph.fileDependencies, graph.fileMissing])), batch)
    expect(batch).toEqual(results)
    check(
      graph.batch(z.union([graph.fileTree, graph.fileMissing])),
      await client.object('get_batch_dependencies', { ...files, depth: 3 }),
    )
    check(
      graph.batch(z.union([graph.fileImpact, graph.fileMissing])),
      await client.object('get_batch_impact', files),
    )
  })

  it('the dependency tools where they cannot answer', async () => {
    const swift = await client.object('get_file_dependencies', { file: 'src/app.swift', ...NAMED })
    check(graph.fileDependencies, swift)
    expect(swift['warnings']).toMatchObject([{ type: 'deps_not_extracted' }])
    const type = { file: 'src/cart.ts', dep_type: 'thing', ...NAMED }
    for (const tool of ['get_file_dependencies', 'get_file_impact']) {
      const answer = await client.object(tool, type)
      check(shapes.inBandError, answer)
      expect(answer['error']).toContain("'thing'")
    }
  })

  it('a search whose every file is gone says so instead of nothing', async () => {
    const gone = aProject(FILES)
    await client.call('index_codebase', { path: gone, index_name: 'gone' })
    rmSync(gone, { recursive: true })
    const answer = await client.list('search_code', { query: 'price', index_name: 'gone' })
    check(z.array(shapes.inBandError).length(1), answer)
    mkdirSync(gone)
    const empty = await client.list('search_code', { query: 'price', index_name: 'gone' })
    check(shapes.searchContext, empty[0])
    check(z.array(shapes.note).length(1), empty.slice(1))
    expect(empty[1]).toMatchObject({ message: expect.stringContaining('Nothing in the 0 indexed') })
    await client.call('clear_index', { index_name: 'gone' })
  })
})
