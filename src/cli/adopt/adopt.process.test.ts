import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('asks nobody on a pipe, writes nothing in a dry run, and shows both on the command line', async () => {
  const folder = tempFolder()
  folder.write('.cursor/mcp.json', '{"mcpServers": {"a": {"command": "no-such-program"}}}')
  const asked = await runCli(folder, ['adopt'])
  expect(asked.code).toBe(1)
  expect(asked.stderr).toContain('--yes goes ahead, --dry-run only shows')
  const dry = await runCli(folder, ['adopt', '--dry-run', '--json'])
  expect(JSON.parse(dry.stdout)).toMatchObject({
    written: false,
    servers: [{ name: 'a', error: expect.stringContaining('ENOENT') }],
    clients: [{ client: 'cursor', before: { servers: 1, unknown: ['a'] }, after: { servers: 1 } }],
  })
  expect(folder.read('.cursor/mcp.json')).toContain('no-such-program')
  expect(existsSync(folder.file('data/mcp.json'))).toBe(false)
  const done = await runCli(folder, ['adopt', '--yes', '--no-count'])
  expect(done.stdout).toContain('✓ Cursor uses Portolan.')
  expect(done.stdout).toMatch(/Cursor +1 server +not counted +1 server +not counted/)
  expect(folder.read('.cursor/mcp.json')).not.toContain('no-such-program')
  const undone = await runCli(folder, ['adopt', '--undo'])
  expect(undone.stdout).toContain(`✓ ${folder.file('.cursor/mcp.json')} is as it was before`)
})
