import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('says what it found and exits with 0 when all is well', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { pg: { command: 'pg' } } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['pg', 'code', 'ghost'] } } },
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
  expect(stderr).toMatch(/agents\.ada\.denny: unknown key "denny".*did you mean "deny"\?/)
  expect(stderr).toMatch(/listen\.prot: unknown key "prot".*did you mean "port"\?/)
})

it('prints the same as JSON on stdout', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { bad: {} } })
  const { code, stdout } = await runCli(folder, ['check', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    errors: [
      {
        file: folder.file('.mcp.json'),
        path: 'mcpServers.bad',
        message: 'Server "bad" must specify either "command" (stdio) or "url" (HTTP) transport',
      },
    ],
  })
})

it('is content without any file', async () => {
  const { code } = await runCli(tempFolder(), ['check'])
  expect(code).toBe(0)
})

it('says ERROR and exits with 1 when a file that was asked for is missing', async () => {
  const folder = tempFolder()
  const { code, stderr } = await runCli(folder, ['explain', 'ada', 'pg'], {
    GATEWAY_RULES: '~/missing.json',
  })
  expect(code).toBe(1)
  expect(stderr).toBe(`ERROR: ${folder.file('missing.json')}: file not found\n`)
})
