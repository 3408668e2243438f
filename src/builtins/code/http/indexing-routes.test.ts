import { describe, expect, it } from 'vitest'
import {
  aCodeApi,
  anIndexedApi,
  ended,
  failing,
  index,
} from '../../../../test/support/a-code-api.ts'
import { aProject } from '../../../../test/support/code-project.ts'

describe('indexing over the API', () => {
  it('starts, goes on by itself, and tells how it ended', async () => {
    const api = aCodeApi()
    expect(await api.post('index', { project_path: api.root })).toEqual({
      status: 200,
      body: { success: true, message: `Indexing started for ${api.root}`, index_name: 'shop' },
    })
    expect(await ended(api)).toMatchObject({
      index_name: 'shop',
      status: 'indexed',
      result: { success: true, stats: { files_added: 5 }, dep_stats: { total_edges: 1 } },
    })
  })

  it('takes patterns, .gitignore and a fresh start as they are given', async () => {
    const api = aCodeApi({
      files: { 'a.ts': 'a', 'b.py': 'b', 'c.ts': 'c', '.gitignore': 'c.ts\n' },
    })
    expect(await index(api, { include_patterns: ['*.ts'] })).toMatchObject({
      result: { total_files: 1 },
    })
    expect(await index(api, { include_patterns: ['*.ts'], no_gitignore: true })).toMatchObject({
      result: { total_files: 2 },
    })
    expect(await index(api, { exclude_patterns: ['*.py'], fresh: true })).toMatchObject({
      result: { stats: { files_added: 2 } },
    })
  })

  it.each([
    ['index', {}, failing(400, 'project_path is required')],
    [
      'index',
      { project_path: '/nowhere/at/all' },
      failing(400, expect.stringContaining('is not a folder')),
    ],
    [
      'index',
      { project_path: '.', index_name: '../x' },
      failing(400, expect.stringContaining('not an index name')),
    ],
    ['reindex', {}, failing(400, 'index_name is required')],
    ['reindex', { index_name: 'none' }, failing(404, "Index 'none' not found")],
    ['stop-indexing', {}, failing(400, 'index_name is required')],
    ['stop-indexing', { index_name: 'none' }, failing(404, "'none' is not being indexed")],
    ['delete-index', {}, failing(400, 'index_name is required')],
    ['delete-index', { index_name: 'none' }, failing(404, "Index 'none' not found")],
    ['extract-deps', {}, failing(400, 'index_name is required')],
    ['extract-deps', { index_name: 'none' }, failing(404, "Index 'none' not found")],
    ['search', {}, failing(400, 'query is required')],
    ['analyze', {}, failing(400, 'query is required')],
    ['deps', {}, failing(400, 'file is required')],
  ])('refuses POST /api/%s with %j', async (path, body, answer) => {
    expect(await aCodeApi().post(path, body)).toEqual(answer)
  })

  it('refuses what would disturb an index that is being built, and stops it', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, n) => [`f${n}.ts`, `export const value${n} = ${n}\n`]),
    )
    const api = aCodeApi({ files })
    await api.post('index', { project_path: api.root })
    expect(await api.post('index', { project_path: api.root })).toEqual(
      failing(409, 'Previous indexing still completing. Try again shortly.'),
    )
    expect(await api.post('delete-index', { index_name: 'shop' })).toEqual(
      failing(409, "Cannot delete 'shop' while indexing is active. Stop indexing first."),
    )
    expect(await api.get('stats/shop')).toMatchObject({ status: 200, body: { status: 'indexing' } })
    expect(await api.post('stop-indexing', { index_name: 'shop' })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect(await ended(api)).toMatchObject({
      status: 'stopped',
      result: null,
      error: 'Indexing was stopped',
    })
    expect((await api.get('list')).body).toEqual([])
  })

  it('brings an index up to date, extracts its dependencies and deletes it', async () => {
    const api = await anIndexedApi()
    aProject({ 'src/new.ts': "import { price } from './price.js'\n" }, api.root)
    expect(await api.post('extract-deps', { index_name: 'shop' })).toEqual({
      status: 200,
      body: { success: true, message: "Extracted 2 dependency edges of 'shop'" },
    })
    await api.post('reindex', { index_name: 'shop', fresh: true })
    expect(await ended(api)).toMatchObject({ result: { stats: { files_added: 6 } } })
    expect(await api.post('delete-index', { index_name: 'shop' })).toMatchObject({
      status: 200,
      body: { success: true },
    })
    expect((await api.get('list')).body).toEqual([])
  })
})
