import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it.each([
  'stats',
  'doctor',
  'call list_servers',
  'server list',
  'server test one',
  'server restart one',
  'server login one',
  'secrets set --user KEY',
])('portolan %s reads the configuration that the gateway here would read', async (command) => {
  const folder = tempFolder()
  folder.write('data/mcp.json', { mcpServers: { one: { url: 'http://127.0.0.1:1/mcp' } } })
  const env = { PORTOLAN_CONFIG_SOURCE: 'database' }
  const { code, stdout, stderr } = await runCli(folder, command.split(' '), env, 'value\n')
  expect(code).toBe(1)
  expect(stdout + stderr).toContain('PORTOLAN_CONFIG_SOURCE=database needs PORTOLAN_DATABASE_URL')
})
