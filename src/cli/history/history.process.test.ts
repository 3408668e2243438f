import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { storedSecrets } from '../../../test/support/stored-secrets.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const SERVERS = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" }, // keep\n  },\n}\n'

it('tells what commands and people changed, and restores every version without a question', async () => {
  const folder = tempFolder()
  const file = folder.write('data/mcp.json', SERVERS)
  const cli = async (...args: string[]) => {
    const done = await runCli(folder, args)
    expect(done).toMatchObject({ code: 0 })
    return done
  }
  await cli('server', 'add', 'b', '--no-test', '-e', 'API_TOKEN=hunter22hunter22', '--', 'b-mcp')
  const [added, secrets] = [folder.read('data/mcp.json'), storedSecrets(folder)]
  folder.write('data/mcp.json', added.replace('mine', 'ours'))
  await cli('server', 'disable', 'a')
  const listed = await cli('history', '--json')
  expect(listed.stdout).not.toContain('hunter22')
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { version: 4, message: 'server disable a', author: expect.stringContaining('@') },
    { version: 3, message: 'changed by hand', author: 'editor' },
    { version: 2, message: 'server add b', created_at: expect.stringContaining('T') },
    { version: 1, message: 'before the first change' },
  ])
  expect((await cli('history', '3')).stdout).toContain('-  // mine\n+  // ours\n')
  await cli('rollback', '1')
  expect(readFileSync(file, 'utf8')).toBe(SERVERS)
  expect(storedSecrets(folder)).toBe('')
  await cli('rollback', '2', '-m', 'b is needed')
  expect([folder.read('data/mcp.json'), storedSecrets(folder)]).toEqual([added, secrets])
  expect((await cli('history')).stdout).toMatch(/^6\t.*\tb is needed\n5\t.*\tback to version 1\n/)
  const unknown = await runCli(folder, ['rollback', '9'])
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('versions 1 to 6') })
})

it('records trust and saved scripts, and takes them back', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', SERVERS)
  expect((await runCli(folder, ['trust'])).code).toBe(0)
  const save = ['scripts', 'save', 'one', '--description', 'says one']
  expect((await runCli(folder, save, {}, 'return 1')).code).toBe(0)
  expect(folder.read('data/scripts/one.ts')).toContain('return 1')
  const history = (await runCli(folder, ['history', '--json'])).stdout
  expect(JSON.parse(history)).toMatchObject([
    { message: 'scripts save one' },
    { message: 'trust .' },
    { version: 1 },
  ])
  expect((await runCli(folder, ['rollback', '1'])).code).toBe(0)
  expect(folder.read('data/scripts/one.ts')).toBe('')
  expect((await runCli(folder, ['trust', '--list'])).stdout).not.toContain('.mcp.json')
})
