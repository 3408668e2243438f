import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { packageFile } from '../../base/files/package-files.ts'
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

it('counts only names where a client defers tools, and writes an entry that it does not defer', async () => {
  const server = packageFile('node_modules/@modelcontextprotocol/server-everything/dist/index.js')
  const entry = { command: process.execPath, args: [server] }
  const folder = tempFolder()
  folder.write('.claude.json', { mcpServers: { everything: entry } })
  folder.write('.cursor/mcp.json', { mcpServers: { everything: entry } })
  const { stdout } = await runCli(folder, ['adopt', '--yes', '--json'])
  const { clients } = JSON.parse(stdout)
  const of = (id: string) => clients.find(({ client }: { client: string }) => client === id)
  const claude = of('claude-code')
  const cursor = of('cursor')
  expect(claude.before).toMatchObject({ tools: cursor.before.tools, namesOnly: true })
  expect(claude.before.tokens).toBeLessThan(cursor.before.tokens / 10)
  expect(claude.after).toEqual({ ...cursor.after, namesOnly: false })
  const written = JSON.parse(folder.read('.claude.json')).mcpServers.portolan
  expect(written).toMatchObject({ alwaysLoad: true })
  expect(folder.read('.cursor/mcp.json')).not.toContain('alwaysLoad')
})
