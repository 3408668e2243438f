import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aFolder,
  aProject,
  anIndexedShop,
  git,
  resultsOf,
} from '../../../../test/support/code-project.ts'

describe('projects', () => {
  it('a project without an index is an error that says what to do, never an empty list', async () => {
    const root = aProject(SHOP)
    const [only, ...rest] = await aCodeClient(root).list('search_code', { query: 'cart' })
    expect(rest).toEqual([])
    expect(only).toMatchObject({ error: 'Index not found', detected_path: root, results: [] })
    expect(only?.['message']).toContain(`MCP: index_codebase(path='${root}')`)
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

  it('refuses to answer for another project of the same name', async () => {
    const [one, two] = [join(aFolder(), 'same'), join(aFolder(), 'same')]
    for (const root of [one, two]) {
      mkdirSync(root)
      aProject(SHOP, root)
    }
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

  it('confines what an agent over HTTP may index', async () => {
    const { client } = await anIndexedShop()
    const secret = aProject({ 'secret.ts': 'export const secret = 1' })
    const answer = await client.object(
      'index_codebase',
      { path: secret },
      { headers: { host: 'x' } },
    )
    expect(answer).toMatchObject({
      success: false,
      error: expect.stringContaining('outside the project'),
    })
    const inside = await client.object(
      'index_codebase',
      { path: 'src', index_name: 'inside' },
      { headers: { host: 'x' } },
    )
    expect(inside).toMatchObject({ success: true })
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
