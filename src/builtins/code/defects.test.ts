import { type SettingSpec, variableOf } from '../../base/setting-table.ts'
import { CODE_SETTINGS } from './settings.ts'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aFolder,
  aProject,
  anIndexedShop,
  resultsOf,
} from '../../../test/support/code-project.ts'
import { CODE_TOOLS } from './create-code-service.ts'
import { SETTING_VARIABLES } from './project/code-config.ts'
import { CodeLibrary } from './engine/index/code-library.ts'
import { DEFAULT_SETTINGS } from './engine/index/index-settings.ts'
import { projectAt } from './project/find-project.ts'

/** Each of these was wrong in the public implementation whose contract this server keeps. */
describe('known defects of code search', () => {
  it.each([null, true, false])(
    '1: words are searched whatever use_hybrid_search says (%s)',
    async (flag) => {
      const { client } = await anIndexedShop()
      const [first] = resultsOf(
        await client.list('search_code', { query: 'totalPrice', use_hybrid_search: flag }),
      )
      expect(first).toMatchObject({ file_path: 'src/cart.ts', match_type: 'keyword' })
    },
  )

  it('2: scores lie in 0..1, so that a minimum of 0.3 keeps what is good', async () => {
    const { client } = await anIndexedShop()
    const all = resultsOf(
      await client.list('search_code', { query: 'shopping cart total', min_score: 0.3 }),
    )
    expect(all[0]?.['score']).toBe(1)
    expect(all.every((item) => Number(item['score']) >= 0.3 && Number(item['score']) <= 1)).toBe(
      true,
    )
  })

  it('3: the same question with another parameter gets another answer', async () => {
    const { root, client } = await anIndexedShop()
    const ask = async (deps: boolean) =>
      resultsOf(await client.list('search_code', { query: 'cart', include_deps: deps }))[0]
    expect(await ask(false)).not.toHaveProperty('dependencies')
    expect(await ask(true)).toHaveProperty('dependencies')
    writeFileSync(join(root, 'src/cart.ts'), '// the cart, all new\n')
    expect((await ask(true))?.['dependencies']).toEqual([])
  })

  it('4: a question in plain words finds code that has only some of them, with its symbol', async () => {
    const { client } = await anIndexedShop()
    const query = 'where do we compute what the whole shopping basket costs for zebras?'
    expect(resultsOf(await client.list('search_code', { query }))[0]).toMatchObject({
      file_path: 'src/cart.ts',
      symbol_name: 'ShoppingCart',
    })
  })

  it('5: nothing is lost to an approximate index: each of many files is found by its word', async () => {
    const words = Array.from({ length: 300 }, (_, n) => `zq${n.toString(36)}word`)
    const root = aProject(
      Object.fromEntries(words.map((word, n) => [`f${n}.ts`, `export const ${word} = ${n}\n`])),
    )
    const { live } = await new CodeLibrary({ home: aFolder() }).build(
      projectAt(root),
      'x',
      DEFAULT_SETTINGS,
    )
    const missed = words.filter(
      (word, n) => live.index.lexical.search(word)[0]?.path !== `f${n}.ts`,
    )
    expect(missed).toEqual([])
  }, 20_000)

  it('6: index_codebase reads cocosearch.yaml and counts truly', async () => {
    const root = aProject({
      ...SHOP,
      'cocosearch.yaml': 'indexing:\n  includePatterns: ["*.py"]\n',
    })
    const answer = await aCodeClient(root).object('index_codebase', { path: '.' })
    expect(answer).toMatchObject({ stats: { files_added: 1, files_removed: 0, files_updated: 0 } })
  })

  it('7: lines and symbols are right in a text of many alphabets, with every symbol of the file', async () => {
    const text =
      'class Größe:\n    """漢字 emoji 🎉🎉"""\n    def fläche(self):\n        return 1\n\n    def umfang(self):\n        return "🎉"\n'
    const client = aCodeClient(aProject({ 'maß.py': text }))
    await client.call('index_codebase', { path: '.' })
    const [found] = resultsOf(await client.list('search_code', { query: 'umfang' }))
    expect(found).toMatchObject({ content: text.trimEnd(), start_line: 1, end_line: 7 })
    expect(await client.object('find_symbol', { name: 'umfang' })).toMatchObject({
      symbols: [{ qualified_name: 'Größe.umfang', start_line: 6 }],
    })
  })

  it('8: nested ignore files hold, and huge or binary files stay out', async () => {
    const client = aCodeClient(
      aProject({
        'src/a.ts': 'export const a = 1\n',
        'src/.gitignore': 'gen/\n',
        'src/gen/b.ts': 'export const b = 1\n',
        'big.ts': 'x'.repeat(1_000_001),
        'data.ts': Buffer.from([1, 0, 2]),
      }),
    )
    const { total_files: total } = await client.object('index_codebase', { path: '.' })
    expect(total).toBe(1)
  })

  it('9: an import of .js that means .ts is an edge, also through tsconfig paths', async () => {
    const client = aCodeClient(
      aProject({
        'tsconfig.json': '{"compilerOptions":{"paths":{"@lib/*":["./lib/*"]}}}',
        'a.ts': `import './b.js'\nimport '@lib/c'\n`,
        'b.ts': '',
        'lib/c.ts': '',
      }),
    )
    await client.call('index_codebase', { path: '.' })
    expect(await client.object('get_file_dependencies', { file: 'a.ts' })).toMatchObject({
      dependencies: [{ target_file: 'b.ts' }, { target_file: 'lib/c.ts' }],
    })
  })

  it.each(['/etc/passwd', '../../etc/passwd', 'src/../../outside.ts'])(
    '10: no tool reads %s',
    async (file) => {
      const { client } = await anIndexedShop()
      for (const tool of ['outline', 'get_file_dependencies', 'get_file_impact']) {
        expect(await client.object(tool, { file })).toMatchObject({ error: 'File not found' })
      }
    },
  )

  it('11: needs no service, no model and no browser', async () => {
    const client = aCodeClient(aProject(SHOP), { env: {} })
    await client.call('index_codebase', { path: '.' })
    expect(resultsOf(await client.list('search_code', { query: 'cart' })).length).toBeGreaterThan(0)
    expect(await client.object('open_dashboard')).toMatchObject({ success: false })
  })

  it('12: the guide names the tools there are, and variables that mean something', () => {
    const root = join(import.meta.dirname, '../../..')
    const guide = readFileSync(join(root, 'docs/guides/code.md'), 'utf8')
    const [, tools = ''] = /## Tools\n\n([^\n]+)/.exec(guide) ?? []
    const named = [...tools.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
    expect(named.toSorted()).toEqual(CODE_TOOLS.map(({ name }) => name).toSorted())
    const [, table = ''] = /\| variable[^]*?\n((?:\|.*\n)+)/.exec(guide) ?? []
    const variables = [...table.matchAll(/`(PORTOLAN_CODE_\w+)`/g)].map(([, name]) => name ?? '')
    expect(variables.length).toBeGreaterThan(8)
    const sources = ['cli', 'builtins/code', 'gateway'].flatMap((folder) =>
      readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?<!\.test)\.ts$/.test(file))
        .map((file) => readFileSync(join(root, 'src', folder, file), 'utf8')),
    )
    const settings = Object.entries<SettingSpec>(CODE_SETTINGS).map(([key, spec]) =>
      variableOf('code', key, spec),
    )
    const known = new Set([...SETTING_VARIABLES, ...settings])
    const idle = variables.filter(
      (name) => !known.has(name) && !sources.some((text) => text.includes(`'${name}'`)),
    )
    expect(idle).toEqual([])
  })

  it('13: ships the benchmark that its claims come from', () => {
    const root = join(import.meta.dirname, '../../..')
    expect(existsSync(join(root, 'bench/code.ts'))).toBe(true)
  })
})
