import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCodeApi, anIndexedApi, failing, index } from '../../../../test/support/a-code-api.ts'
import { aFolder, aProject } from '../../../../test/support/code-project.ts'

describe('the state over the API', () => {
  it('tells the numbers of one index, of all, of none', async () => {
    const api = aCodeApi()
    const nothing = failing(503, 'Database not initialized. Index a codebase first.')
    expect(await api.get('stats')).toEqual(nothing)
    expect(await api.get('stats/shop')).toEqual(nothing)
    await index(api)
    expect(await api.get('stats')).toMatchObject({ body: [{ name: 'shop', file_count: 5 }] })
    expect(await api.get('stats?index=shop&include_failures=true')).toMatchObject({
      body: { name: 'shop', status: 'indexed', parse_failures: [] },
    })
    expect(await api.get('stats/none')).toEqual(failing(404, "Index 'none' not found"))
    expect(await api.get('list')).toMatchObject({ body: [{ name: 'shop', source_path: api.root }] })
  })

  it('tells the project, those of a folder, the languages and the grammars', async () => {
    const folder = aFolder()
    aProject(
      { 'one/a.ts': 'a', 'two/cocosearch.yaml': 'indexName: second\n', 'file.txt': '' },
      folder,
    )
    const api = await anIndexedApi({ env: { COCOSEARCH_PROJECTS_DIR: folder } })
    expect(await api.get('project')).toMatchObject({
      body: { has_project: true, project_path: api.root, index_name: 'shop', is_indexed: true },
    })
    expect(await api.get('projects')).toMatchObject({
      body: {
        projects_dir: folder,
        projects: [
          { name: 'one', project_path: join(folder, 'one'), is_indexed: false },
          { name: 'two', index_name: 'second' },
        ],
      },
    })
    expect((await api.get('languages')).body).toContainEqual(
      expect.objectContaining({ language: 'python' }),
    )
    expect((await api.get('grammars')).body).toHaveLength(9)
  })

  it('says whether its parts are well, and asks the embedder itself', async () => {
    expect(await aCodeApi().get('infra')).toEqual({
      status: 200,
      body: {
        database: { ok: true },
        embedding: { ok: true, provider: null, model: null },
        all_ok: true,
      },
    })
    const env = {
      COCOSEARCH_EMBEDDING_PROVIDER: 'openai',
      COCOSEARCH_EMBEDDING_MODEL: 'm',
      COCOSEARCH_EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1',
    }
    expect(await aCodeApi({ env }).get('infra')).toMatchObject({
      body: {
        embedding: { ok: false, provider: 'openai', model: 'm', error: expect.any(String) },
        all_ok: false,
      },
    })
    expect(await aCodeApi({ env }).get('credits')).toMatchObject({
      status: 200,
      body: { ok: false, error: expect.stringContaining('OpenAI') },
    })
  })
})
