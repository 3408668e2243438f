import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('says what it found and exits with 0 when all is well', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { pg: { command: 'pg' } } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['pg', 'ghost'] } } },
  })
  const { code, stdout, stderr } = await runCli(folder, ['check'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr.split('\n')).toEqual([
    `✓ ${folder.file('.mcp.json')}: 1 server`,
    `✓ ${folder.file('.mcp-gateway-rules.json')}: 1 agent`,
    '✓ no settings file: defaults',
    '⚠ Agent "ada" allow.servers references undefined server "ghost"',
    '',
  ])
})

it('warns where replicas share a database and what is in it is not sealed', async () => {
  const folder = tempFolder()
  const env = { PORTOLAN_DATABASE_URL: 'postgres://127.0.0.1:9/team' }
  const { code, stderr } = await runCli(folder, ['check'], env)
  expect(code).toBe(0)
  expect(stderr).toContain('⚠ PORTOLAN_SECRET_KEY is not set: the database keeps')
  const sealed = await runCli(folder, ['check'], { ...env, PORTOLAN_SECRET_KEY: 'long and random' })
  expect(sealed.stderr).not.toContain('PORTOLAN_SECRET_KEY')
})

it('lists every problem of every file and exits with 1', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', {
    mcpServers: { pg: { command: 'pg', env: { KEY: '${NOT_SET_HERE}' } } },
  })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: { denny: {} } } })
  folder.write('portolan.yaml', 'listen:\n  prot: 80\n')
  const { code, stderr } = await runCli(folder, ['check'])
  expect(code).toBe(1)
  expect(stderr).toContain(
    '✗ ' +
      folder.file('.mcp.json') +
      ': mcpServers.pg: Environment variable "NOT_SET_HERE" referenced in configuration but not set.',
  )
  expect(stderr).toMatch(/agents\.ada\.denny: unknown key "denny".*Did you mean 'deny'\?/)
  expect(stderr).toMatch(/listen\.prot: unknown key "prot".*Did you mean 'port'\?/)
})
