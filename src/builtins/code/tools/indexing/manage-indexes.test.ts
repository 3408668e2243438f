import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeMcpDefaults } from '../../mcp-defaults.ts'
import {
  SHOP,
  aCodeClient,
  aFolder,
  aProject,
  anIndexedShop,
} from '../../../../../test/support/code-project.ts'

describe('index management', () => {
  it('counts what indexing did, and honours cocosearch.yaml', async () => {
    const root = aProject({
      ...SHOP,
      'cocosearch.yaml': 'indexName: my_shop\nindexing:\n  excludePatterns: ["*.py"]\n',
    })
    const client = aCodeClient(root)
    const first = await client.object('index_codebase', { path: '.' })
    expect(first).toMatchObject({
      success: true,
      index_name: 'my_shop',
      stats: { files_added: 4, files_updated: 0, files_removed: 0 },
    })
    writeFileSync(join(root, 'src/price.ts'), 'export const changed = 1\n')
    rmSync(join(root, 'src/cart.ts'))
    const second = await client.object('index_codebase', { path: '.' })
    expect(second).toMatchObject({ stats: { files_added: 0, files_updated: 1, files_removed: 1 } })
  })

  it('reports a bad cocosearch.yaml with the key that was meant', async () => {
    const root = aProject({ ...SHOP, 'cocosearch.yaml': 'indexname: x\n' })
    const client = aCodeClient(root)
    expect(await client.object('index_codebase', { path: '.' })).toMatchObject({
      success: false,
      error: expect.stringContaining("Did you mean 'indexName'?"),
    })
  })

  it('fails in band for a path that is not there', async () => {
    const client = aCodeClient(aFolder())
    expect(await client.object('index_codebase', { path: '/no/such/folder' })).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Failed to index codebase: .*not a folder/),
    })
  })

  it('reports progress, and stops when cancelled', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 600 }, (_, n) => [`f${n}.ts`, `export const v${n} = ${n}\n`.repeat(40)]),
    )
    const root = aProject(files)
    const seen: number[] = []
    await aCodeClient(root).call(
      'index_codebase',
      { path: '.' },
      { progress: ({ progress }) => seen.push(progress) },
    )
    expect(seen.at(-1)).toBe(600)
    const cancel = new AbortController()
    const stopped = aCodeClient(root).call(
      'index_codebase',
      { path: '.' },
      { signal: cancel.signal, progress: () => cancel.abort() },
    )
    await expect(stopped).rejects.toThrow(/abort/i)
  })

  it('tells the statistics of the contract', async () => {
    const { client } = await anIndexedShop()
    const [summary] = await client.list('list_indexes')
    const stats = await client.object('index_stats', {
      index_name: summary?.['name'],
      include_failures: true,
    })
    expect(stats).toMatchObject({
      file_count: 4,
      is_stale: false,
      status: 'indexed',
      symbols: { class: 1, method: 1, function: 2 },
      dep_stats: {
        total_edges: 1,
        by_type: { import: 1 },
        top_targets: [{ file: 'src/price.ts', count: 1 }],
      },
      parse_stats: { total_files: 3 },
      parse_failures: [],
    })
    expect(stats['storage_size']).toBeGreaterThan(0)
    expect(await client.list('index_stats')).toHaveLength(1)
  })

  it('clears one, several and only what exists', async () => {
    const { client } = await anIndexedShop()
    await client.call('index_codebase', { path: '.', index_name: 'second' })
    expect(await client.object('clear_index')).toEqual({
      success: false,
      error: 'Provide index_name or index_names',
    })
    expect(await client.object('clear_index', { index_name: '../..' })).toMatchObject({
      success: false,
    })
    expect(await client.object('clear_index', { index_names: ['second', 'gone'] })).toMatchObject({
      success: false,
      deleted: 1,
      total: 2,
      results: [
        { index_name: 'second', success: true },
        { index_name: 'gone', success: false },
      ],
    })
    expect(await client.list('list_indexes')).toHaveLength(1)
  })

  it('opens the dashboard only where there is one', async () => {
    expect(await aCodeClient(aFolder()).object('open_dashboard')).toMatchObject({ success: false })
  })

  it.each(['1', 'true', 'YES'])(
    'opens no dashboard where PORTOLAN_CODE_NO_DASHBOARD is %s',
    async (text) => {
      const env = { PORTOLAN_CODE_NO_DASHBOARD: text }
      expect(codeMcpDefaults(env).dashboardPort).toBe(false)
      const disabled = aCodeClient(aFolder(), { env, dashboardUrl: () => undefined })
      expect(await disabled.object('open_dashboard')).toMatchObject({
        success: false,
        error: expect.stringContaining(`PORTOLAN_CODE_NO_DASHBOARD=${text}`),
      })
    },
  )
})
