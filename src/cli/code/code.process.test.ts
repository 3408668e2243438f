import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { SHOP, aProject } from '../../../test/support/code-project.ts'
import { MAIN } from '../../../test/support/gateway.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const run = promisify(execFile)
const home = tempFolder(afterAll).path
const root = aProject(
  { ...SHOP, 'cocosearch.yaml': 'indexName: shop\n' },
  tempFolder(afterAll).path,
)
const env = { ...process.env, PORTOLAN_HOME: home, NO_COLOR: '1' }

async function portolan(
  args: readonly string[],
  cwd = root,
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, 'code', ...args], { cwd, env })
    return { code: 0, stdout, stderr }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'stdout' in error && 'stderr' in error))
      throw error
    return { code: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) }
  }
}

describe('portolan code', () => {
  it('says how to index a folder that is no project', async () => {
    const plain = aProject(SHOP, tempFolder().path)
    expect(await portolan(['search', 'cart'], plain)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Run: portolan code index'),
    })
  })

  it('indexes a repository at its first search', async () => {
    const repository = aProject(SHOP, tempFolder().path)
    await run('git', ['init', '-q'], { cwd: repository })
    const { code, stdout } = await portolan(['search', 'cart'], repository)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('cart') })
  })

  it('indexes a project when it is told to', async () => {
    const { stdout } = await portolan(['index', root, '--no-parse'])
    expect(stdout).toContain('shop: 5 files (5 added, 0 updated, 0 removed)')
  })

  it('prints results for people, with line numbers', async () => {
    const { stdout } = await portolan(['search', 'shopping', 'cart', '-l', '1'])
    expect(stdout).toMatch(/^src\/cart\.ts:1-11 {2}ShoppingCart {2}[01]\.\d\d\n/)
    expect(stdout).toContain(' 9      return this.items')
  })

  it('prints JSON for programs, from any folder, with the text of the project', async () => {
    const { stdout } = await portolan(
      ['search', 'shopping cart lang:ts', '--index', 'shop', '--json'],
      tmpdir(),
    )
    const [context, first] = JSON.parse(stdout)
    expect(context).toMatchObject({ index_name: 'shop', searching: root })
    expect(first.content).toContain('class ShoppingCart')
  })

  it('draws the tree of what a change affects', async () => {
    const { stdout } = await portolan(['deps', 'impact', 'src/price.ts'])
    expect(stdout).toBe('src/price.ts\n└─ src/cart.ts\n')
  })

  it('says once what is wrong', async () => {
    const missing = join(root, 'nowhere')
    expect(await portolan(['index', missing])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Failed to index codebase: ${missing} is not a folder. Give the path of a folder that exists.\n`,
    })
    expect(await portolan(['clear', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: "Index 'nowhere' not found. Use list_indexes to see those there are.\n",
    })
    const other = aProject({ 'cocosearch.yaml': 'indexName: shop\n', 'a.ts': 'a' })
    expect(await portolan(['index', other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Index 'shop' is already mapped to ${root}`),
    })
  })

  it('fails with what to do next', async () => {
    expect(await portolan(['outline', 'nope.ts'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("'nope.ts' is not in the index"),
    })
    // Its standard input is a pipe: nobody is there to be asked.
    expect(await portolan(['search'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Say what to search for'),
    })
  })
})
