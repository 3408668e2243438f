import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { SHOP, aFolder, aProject } from '../support/code-project.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { startStandalone } from '../support/standalone.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CONFIG = { 'cocosearch.yaml': 'indexName: shop\n' }

function aShop() {
  const folder = tempFolder()
  aProject({ ...SHOP, ...CONFIG }, folder.path)
  const options = (env: Record<string, string> = {}) => ({
    cwd: folder.path,
    env: gatewayEnv(folder, env),
  })
  const code = async (args: readonly string[], env?: Record<string, string>, cwd = folder.path) =>
    runProgram(process.execPath, [MAIN, 'code', ...args], { ...options(env), cwd })
  return { folder, options, code }
}

describe('portolan code with a server elsewhere', () => {
  it('indexes and searches there, under the names the server has for our folders', async () => {
    const { folder, code } = aShop()
    const server = tempFolder()
    // The server sees the shop elsewhere, as a container does.
    const elsewhere = aFolder()
    const { url } = await startStandalone(server, ['code', 'mcp'], {
      COCOSEARCH_PROJECTS_DIR: elsewhere,
    })
    const there = aProject({ ...SHOP, ...CONFIG }, `${elsewhere}/${folder.path.split('/').at(-1)}`)
    const env = {
      COCOSEARCH_SERVER_URL: url,
      COCOSEARCH_PATH_PREFIX: `${dirname(folder.path)}:${elsewhere}`,
    }
    const before = await code(['search', 'shopping cart'], env)
    expect(before).toMatchObject({ code: 1, stdout: '' })
    const indexed = await code(['index', '--json'], env)
    expect(JSON.parse(indexed.stdout)).toMatchObject({ success: true, path: folder.path })
    const found = await code(['search', 'shopping cart', '--json'], env)
    const [context, first] = JSON.parse(found.stdout)
    expect(context).toMatchObject({ searching: folder.path, project_source: 'query_param' })
    expect(first).toMatchObject({ file_path: 'src/cart.ts' })
    expect(there).not.toBe(folder.path)
    expect((await code(['list', '--json'])).stdout.trim()).toBe('[]')
    expect(
      JSON.parse((await code(['deps', 'impact', 'src/price.ts', '--json'], env)).stdout),
    ).toMatchObject({
      impact_tree: { children: [{ file: 'src/cart.ts' }] },
    })
  })

  it('asks every tool there, and says which flags of indexing a server does not take', async () => {
    const { folder, code } = aShop()
    const { url } = await startStandalone(tempFolder(), ['code', 'mcp'], {
      PORTOLAN_CODE_FOLDERS: folder.path,
    })
    const env = { COCOSEARCH_SERVER_URL: url }
    const some = await code(['index', '--include', '*.ts'], env)
    expect(some).toMatchObject({ code: 1, stderr: expect.stringContaining('leave out --include') })
    const all = await code(['index', '--json'], env)
    expect(JSON.parse(all.stdout)).toMatchObject({ total_files: expect.any(Number) })
    expect((await code(['shop', 'stats'], env)).stdout).toMatch(/^file_count +\d+$/m)
    expect((await code(['outline', 'src/price.ts'], env)).stdout).toContain('price')
  })

  it('asks a gateway too, whatever surface it has', async () => {
    const { code } = aShop()
    const gateway = await openGateway({ servers: { code: { builtin: 'code' } } })
    const env = { COCOSEARCH_SERVER_URL: gateway.url }
    expect(await code(['list', '--json'], env)).toMatchObject({ code: 0, stdout: '[]\n' })
  })

  it('says which server does not answer', async () => {
    const { code } = aShop()
    const answer = await code(['list'], { COCOSEARCH_SERVER_URL: 'http://127.0.0.1:9' })
    expect(answer).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ERROR: The code server at http:\/\/127\.0\.0\.1:9 /),
    })
  })
})

it('ends quietly when its reader has read enough', async () => {
  const { options } = aShop()
  const child = spawn(process.execPath, [MAIN, 'code', 'languages'], options())
  child.stdout.destroy()
  const stderr = await text(child.stderr)
  expect(stderr).toBe('')
})

async function anIndexedShop() {
  const { folder, code } = aShop()
  const portolan = async (args: readonly string[], cwd = folder.path) => code(args, {}, cwd)
  await portolan(['index', '--no-parse'])
  return { root: folder.path, portolan }
}

describe('portolan code', () => {
  it('takes what is no command as a question, and an index first as the one to ask', async () => {
    const { portolan } = await anIndexedShop()
    const asked = await portolan(['shopping', 'cart', '-l', '1'])
    expect(asked.stdout).toMatch(/^src\/cart\.ts:1-11 /)
    const stats = await portolan(['shop', 'stats', '--json'])
    expect(JSON.parse(stats.stdout)).toMatchObject({ name: 'shop' })
    const search = await portolan(['shop', 'search', 'checkout', '-l', '1'], tmpdir())
    expect(search.stdout).toMatch(/^src\/checkout\.py:/)
  })

  it('tells its settings, their file and what is wrong with it', async () => {
    const { root, portolan } = await anIndexedShop()
    const config = join(root, 'cocosearch.yaml')
    expect(await portolan(['config', 'path'])).toMatchObject({ code: 0, stdout: `${config}\n` })
    expect((await portolan(['config', 'check'])).stdout).toBe(`${config}: ok\n`)
    expect((await portolan(['config'])).stdout).toContain('indexName: shop')
    const wrong = aProject({ 'cocosearch.yaml': 'indexname: x\n' })
    expect(await portolan(['config', 'check'], wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Did you mean 'indexName'?"),
    })
    expect(await portolan(['config', 'path'], aFolder())).toMatchObject({ code: 1, stdout: '' })
  })

  it('takes the limit and the minimum from the settings, a flag before them', async () => {
    const { portolan } = await anIndexedShop()
    const own = aProject({
      ...SHOP,
      'cocosearch.yaml': 'indexName: own\nsearch:\n  resultLimit: 1\n  minScore: 0.9\n',
    })
    await portolan(['index', own, '--no-parse'])
    const count = async (...flags: string[]) =>
      JSON.parse((await portolan(['search', 'cart', '--json', ...flags], own)).stdout).filter(
        (item: object) => 'file_path' in item,
      ).length
    expect(await count()).toBe(1)
    expect(await count('-l', '5', '--min-score', '0')).toBeGreaterThan(1)
  })

  it('counts dependencies', async () => {
    const { root, portolan } = await anIndexedShop()
    const { stdout } = await portolan(['index', root, '--no-parse', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ dep_stats: { total_edges: 1 } })
    const stats = await portolan(['stats', 'shop', '--json'])
    expect(JSON.parse(stats.stdout)).toMatchObject({
      dep_stats: { total_edges: 1, by_type: { import: 1 } },
    })
  })

  it('deletes all indexes only when that is meant', async () => {
    const { portolan } = await anIndexedShop()
    expect(await portolan(['clear', '--all'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('add --force'),
    })
    expect((await portolan(['clear', '--all', '--force', '--json'])).code).toBe(0)
    expect((await portolan(['list', '--json'])).stdout.trim()).toBe('[]')
  })
})
