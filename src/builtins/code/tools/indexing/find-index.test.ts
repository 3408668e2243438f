import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aFolder,
  aProject,
  anIndexedShop,
  git,
  resultsOf,
} from '../../../../../test/support/code-project.ts'

describe('projects', () => {
  it('a project without an index is an error that says what to do, never an empty list', async () => {
    const root = aProject(SHOP)
    const [only, ...rest] = await aCodeClient(root).list('search_code', { query: 'cart' })
    expect(rest).toEqual([])
    expect(only).toMatchObject({ error: 'Index not found', detected_path: root, results: [] })
    expect(only?.['message']).toContain(`MCP: index_codebase(path='${root}')`)
    expect(only?.['message']).toContain(`CLI: portolan code index ${root}\n`)
  })

  it('indexes a detected repository by itself where that is allowed', async () => {
    const root = aProject(SHOP)
    git(root, 'init', '-q')
    const client = aCodeClient(root, { autoIndex: true })
    expect(resultsOf(await client.list('search_code', { query: 'cart' })).length).toBeGreaterThan(0)
    const unmarked = aCodeClient(aProject({ 'a.ts': 'cart' }), { autoIndex: true })
    expect(await unmarked.list('search_code', { query: 'cart' })).toMatchObject([
      { error: 'Index not found' },
    ])
  })

  it('finds the project from any folder inside it', async () => {
    const { root, client } = await anIndexedShop()
    git(root, 'init', '-q')
    const items = await client.list(
      'search_code',
      { query: 'cart' },
      { project: { path: join(root, 'src'), source: 'roots' } },
    )
    expect(items[0]).toMatchObject({ searching: root })
  })

  it.each([
    ['two folders of one name', 'same', 'same', /^same$/],
    ['folders without Latin letters', 'проект', '项目', /^project_[0-9a-f]{8}$/],
  ])('gives %s an index each', async (_, nameOfOne, nameOfTwo, expected) => {
    const one = aProject({ 'one.ts': 'const inTheFirst = 1' }, join(aFolder(), nameOfOne))
    const two = aProject({ 'two.ts': 'const inTheSecond = 2' }, join(aFolder(), nameOfTwo))
    const client = aCodeClient(one)
    const search = async (path: string, query: string) =>
      client.list('search_code', { query }, { project: { path, source: 'roots' } })
    const { index_name: first } = await client.object('index_codebase', { path: one })
    expect(first).toMatch(expected)
    expect(await search(two, 'inTheFirst')).toMatchObject([
      { error: 'Index not found', suggested_index_name: expect.stringMatching(/_[0-9a-f]{8}$/) },
    ])
    const { index_name: second } = await client.object('index_codebase', { path: two })
    expect(second).not.toBe(first)
    expect(resultsOf(await search(one, 'inTheFirst'))).toMatchObject([{ file_path: 'one.ts' }])
    expect(resultsOf(await search(two, 'inTheSecond'))).toMatchObject([{ file_path: 'two.ts' }])
    expect(resultsOf(await search(two, 'inTheFirst'))).toEqual([])
    // It keeps its name where the shorter one becomes free.
    await client.call('clear_index', { index_name: first })
    expect((await search(two, 'inTheSecond'))[0]).toMatchObject({ index_name: second })
  })

  it('keeps the name of an index that was made as `project`', async () => {
    const root = aProject(SHOP, join(aFolder(), 'проект'))
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: root, index_name: 'project' })
    expect((await client.list('search_code', { query: 'cart' }))[0]).toMatchObject({
      index_name: 'project',
    })
  })

  it('gives worktrees of one folder name an index each', async () => {
    const root = aProject(SHOP)
    git(root, 'init', '-q')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'one')
    const client = aCodeClient(root)
    const names: unknown[] = []
    for (const branch of ['first', 'second']) {
      const worktree = join(aFolder(), 'feature')
      git(root, 'worktree', 'add', '-q', '-b', branch, worktree)
      names.push((await client.object('index_codebase', { path: worktree }))['index_name'])
    }
    expect(names[1]).not.toBe(names[0])
  })

  it('refuses to answer for another project whose settings name the same index', async () => {
    const settings = { 'cocosearch.yaml': 'indexName: same\n' }
    const [one, two] = [aProject({ ...SHOP, ...settings }), aProject({ ...SHOP, ...settings })]
    const client = aCodeClient(one)
    await client.call('index_codebase', { path: '.' })
    const [only] = await client.list(
      'search_code',
      { query: 'cart' },
      { project: { path: two, source: 'roots' } },
    )
    expect(only).toMatchObject({
      error: 'Index name collision',
      message: expect.stringContaining(`Current: ${two}`),
    })
  })

  it('gives a worktree an index of its own under the name of its repository', async () => {
    const root = aProject(SHOP)
    git(root, 'init', '-q')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'one')
    const worktree = join(aFolder(), 'feature')
    git(root, 'worktree', 'add', '-q', worktree)
    writeFileSync(join(worktree, 'src/only-here.ts'), 'export function onlyInTheWorktree() {}\n')
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: root })
    await client.call('index_codebase', { path: worktree })
    const search = async (path: string) =>
      resultsOf(
        await client.list(
          'search_code',
          { query: 'onlyInTheWorktree' },
          { project: { path, source: 'roots' } },
        ),
      )
    expect(await search(worktree)).toMatchObject([{ file_path: 'src/only-here.ts' }])
    expect(await search(root)).toEqual([])
    const names = (await client.list('list_indexes')).map(({ name }) => String(name))
    expect(names[1]).toBe(`${names[0]}__feature`)
  })

  it('follows the branch that is checked out', async () => {
    const root = aProject(SHOP)
    git(root, 'init', '-q')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'one')
    const client = aCodeClient(root)
    const { index_name: name } = await client.object('index_codebase', { path: root })
    git(root, 'checkout', '-qb', 'other')
    aProject({ 'src/branch.ts': 'export function onTheOtherBranch() {}\n' }, root)
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'two')
    expect(resultsOf(await client.list('search_code', { query: 'onTheOtherBranch' }))).toHaveLength(
      1,
    )
    expect(await client.object('index_stats', { index_name: name })).toMatchObject({
      branch: 'other',
      commits_behind: 0,
      branch_commit_count: 2,
    })
    git(root, 'checkout', '-q', 'main')
    expect(resultsOf(await client.list('search_code', { query: 'onTheOtherBranch' }))).toEqual([])
  })

  it('indexes for a client over the network only below the folders it may read', async () => {
    const root = aProject(SHOP)
    const secret = aProject({ 'secret.ts': 'export const secret = 1' })
    const client = aCodeClient(root, { project: root })
    const index = async (path: string, isRemote: boolean) =>
      client.object('index_codebase', { path, index_name: 'one' }, { isRemote })
    for (const path of [secret, join(secret, 'none'), '/', dirname(root), '..'])
      expect({ path, ...(await index(path, true)) }).toMatchObject({
        path,
        success: false,
        error: expect.stringContaining('PORTOLAN_CODE_FOLDERS'),
      })
    expect(await index('none', true)).toMatchObject({
      error: expect.stringContaining('is not a folder'),
    })
    symlinkSync(secret, join(root, 'link'))
    expect(await index('link', true)).toMatchObject({ success: false })
    expect(await index('src', true)).toMatchObject({ success: true })
    await client.call('clear_index', { index_name: 'one' })
    expect(await index(secret, false)).toMatchObject({ success: true })
    // What is indexed on this machine may be refreshed.
    expect(await index(secret, true)).toMatchObject({ success: true })
  })

  it('tells a client over the network nothing of what is outside, and where links lead', async () => {
    const root = aProject(SHOP)
    const secret = aProject({ 'deep/secret.ts': 'export const secret = 1' })
    const elsewhere = aFolder()
    symlinkSync(secret, join(elsewhere, 'link'))
    symlinkSync(secret, join(root, 'link'))
    const client = aCodeClient(root, { project: root })
    const remote = { isRemote: true }
    const errorOf = async (path: string) =>
      String((await client.object('index_codebase', { path }, remote))['error'])
    for (const folder of [join(elsewhere, 'link'), join(elsewhere, 'none')])
      expect(await errorOf(folder)).toContain(`${folder} is outside the folders`)
    for (const folder of ['link', 'link/deep', 'link/none'])
      expect(await errorOf(folder)).toContain(`${join(root, folder)} is outside the folders`)
    const messageOf = async (path: string) => {
      const project = { path, source: 'roots' } as const
      const [only] = await client.list('search_code', { query: 'a' }, { ...remote, project })
      return only?.['message']
    }
    for (const folder of [join(elsewhere, 'link'), join(elsewhere, 'none'), join(secret, 'deep')])
      expect(await messageOf(folder)).toContain(`${folder} is outside the folders`)
  })

  it('has no folder for clients over the network where it was started in /', async () => {
    const root = aProject(SHOP)
    const client = aCodeClient(root, { project: '/' })
    expect(await client.object('index_codebase', { path: root }, { isRemote: true })).toMatchObject(
      { success: false },
    )
    const named = aCodeClient(root, { project: '/', env: { PORTOLAN_CODE_FOLDERS: '/' } })
    expect(await named.object('index_codebase', { path: root }, { isRemote: true })).toMatchObject({
      success: true,
    })
  })

  it('does not climb out of the folders of clients over the network to a project around them', async () => {
    const outer = aProject({ 'cocosearch.yaml': '', 'inner/a.ts': 'export const a = 1' })
    const inner = join(outer, 'inner')
    const client = aCodeClient(inner, { env: { PORTOLAN_CODE_FOLDERS: inner }, autoIndex: true })
    const search = async (isRemote: boolean) =>
      client.list('search_code', { query: 'a' }, { isRemote })
    expect(await search(true)).toMatchObject([
      { message: expect.stringContaining('PORTOLAN_CODE_FOLDERS') },
    ])
    expect(resultsOf(await search(false))).not.toEqual([])
  })

  it('does not follow a link out of the project', async () => {
    const secret = aProject({ 'secret.ts': 'export const topSecretValue = 1' })
    const root = aProject(SHOP)
    symlinkSync(join(secret, 'secret.ts'), join(root, 'link.ts'))
    const client = aCodeClient(root)
    await client.call('index_codebase', { path: '.' })
    for (const mode of ['ranked', 'exact']) {
      expect(
        resultsOf(await client.list('search_code', { query: 'topSecretValue', mode })),
      ).toEqual([])
    }
  })

  it('says so when nobody knows where the agent works, unless the index is named', async () => {
    const { client } = await anIndexedShop()
    const lost = { project: { path: '/no/such/folder', source: 'env' } } as const
    expect(await client.object('get_file_impact', { file: 'src/price.ts' }, lost)).toMatchObject({
      error: 'Could not auto-detect index. Provide index_name.',
    })
    const [index] = await client.list('list_indexes', {}, lost)
    const named = { file: 'src/price.ts', index_name: index?.['name'] }
    expect(await client.object('get_file_impact', named, lost)).toMatchObject({
      file: 'src/price.ts',
    })
  })
})
