import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCodeClient, aProject, git, resultsOf } from '../../../../../test/support/code-project.ts'

const MANY = Object.fromEntries(
  Array.from({ length: 1_500 }, (_, n) => [
    `src/part${n}.ts`,
    `export function cart${n}() {}\n`.repeat(30),
  ]),
)

describe('index_codebase as a job', () => {
  it('answers before it is done, goes on, and search answers from what is there meanwhile', async () => {
    const client = aCodeClient(aProject(MANY), { indexWaitMs: 1 })
    const started = await client.object('index_codebase', { path: '.' })
    expect(started).toMatchObject({
      success: true,
      status: 'indexing',
      message: expect.stringContaining('goes on in the background'),
    })
    const name = started['index_name']
    const meanwhile = await client.list('search_code', { query: 'cart0', max_tokens: null })
    expect(meanwhile).toContainEqual(
      expect.objectContaining({
        type: 'index_building',
        message: expect.stringMatching(/\d+ files so far/),
      }),
    )
    const several = { query: 'cart0', index_names: [name, 'gone'] }
    expect(await client.list('search_code', several)).toContainEqual(
      expect.objectContaining({
        searching: 'cross-index',
        index_names: [name],
        skipped_indexes: ['gone'],
      }),
    )
    const whole = async () => {
      const answer = await client.list('search_code', { query: 'cart1499' })
      return answer.some((item) => item['type'] === 'index_building') ? [] : resultsOf(answer)
    }
    await expect.poll(whole, { timeout: 60_000 }).not.toEqual([])
    const later = aCodeClient(String(started['path']), { home: client.home })
    expect(await later.object('index_codebase', { path: '.' })).toMatchObject({
      success: true,
      total_files: 1_500,
    })
    expect(await later.object('index_codebase', { path: '.' })).not.toHaveProperty('status')
  }, 90_000)

  it('is listed while it is at work, with how far it is', async () => {
    const client = aCodeClient(aProject(MANY), { indexWaitMs: 1 })
    const { index_name: name } = await client.object('index_codebase', { path: '.' })
    await client.list('search_code', { query: 'cart0' })
    const again = await client.object('index_codebase', { path: '.' })
    expect(again).toMatchObject({ status: 'indexing' })
    expect(again['files_indexed']).toBeGreaterThan(0)
    expect(await client.list('list_indexes')).toMatchObject([{ name }])
    expect(await client.list('index_stats')).toMatchObject([{ name, status: 'indexing' }])
  })

  it('says no such thing of a small project', async () => {
    const client = aCodeClient(aProject({ 'a.ts': 'export const cart = 1\n' }))
    expect(await client.object('index_codebase', { path: '.' })).toMatchObject({ total_files: 1 })
    const answer = await client.list('search_code', { query: 'cart' })
    expect(answer.filter((item) => item['type'] === 'index_building')).toEqual([])
  })
})

describe('what is left out', () => {
  it('is counted in full, however much it is', async () => {
    const files = Array.from({ length: 2_300 }, (_, n) => [`data/${n}.unknown`, 'x'])
    const root = aProject({ ...Object.fromEntries(files), 'a.ts': 'export const a = 1\n' })
    writeFileSync(join(root, 'b.bin.ts'), Buffer.from([0, 1, 2, 3]))
    const client = aCodeClient(root)
    const { excluded } = await client.object('index_codebase', { path: '.' })
    expect(excluded).toEqual({ total: 2_301, by_reason: { unsupported: 2_300, binary: 1 } })
  })

  it('is not what git tracks below build folders, and is what lies there untracked', async () => {
    const root = aProject({
      'build/rules.ts': 'export const tracked = 1\n',
      'vendor/lib/code.ts': 'export const vendored = 1\n',
      'dist/out.ts': 'export const made = 1\n',
    })
    git(root, 'init', '-q')
    git(root, 'add', 'build', 'vendor')
    const client = aCodeClient(root)
    expect(await client.object('index_codebase', { path: '.' })).toMatchObject({
      total_files: 2,
      excluded: { by_reason: { ignored: expect.any(Number) } },
    })
    const found = async (query: string) =>
      resultsOf(await client.list('search_code', { query })).map((item) => item['file_path'])
    expect(await found('tracked')).toEqual(['build/rules.ts'])
    expect(await found('vendored')).toEqual(['vendor/lib/code.ts'])
    expect(await found('made')).toEqual([])
  })
})
