import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { checkStored } from './check-stored.ts'
import { checkConfig } from './check.ts'

it('is content without any file', () => {
  const { path } = tempFolder()
  expect(checkConfig({ cwd: path, env: { HOME: path } })).toMatchObject({ ok: true, warnings: [] })
})

it('reports an unset variable as an error, unless its server is switched off', () => {
  const folder = tempFolder()
  const server = { command: '${NOT_SET_HERE}' }
  folder.write('.mcp.json', { mcpServers: { on: server, off: { ...server, disabled: true } } })
  const { ok, errors } = checkConfig({ cwd: folder.path, env: { HOME: folder.path } })
  expect(ok).toBe(false)
  expect(errors.map(({ path }) => path)).toEqual(['mcpServers.on'])
})

it('reports a file that was asked for and is not there', () => {
  const folder = tempFolder()
  const env = { HOME: folder.path, GATEWAY_RULES: '~/missing.json' }
  expect(checkConfig({ cwd: folder.path, env }).errors).toEqual([
    { file: folder.file('missing.json'), path: '', message: 'file not found' },
  ])
})

it('does not call servers undefined when the file that defines them cannot be read', () => {
  const folder = tempFolder()
  folder.write('.mcp.json', '{')
  folder.write('.mcp-gateway-rules.json', { agents: { ada: { allow: { servers: ['pg'] } } } })
  expect(checkConfig({ cwd: folder.path, env: { HOME: folder.path } }).warnings).toEqual([])
})

it('sums up each file that is good, and says what it means that there is none', () => {
  const folder = tempFolder()
  const check = () => checkConfig({ cwd: folder.path, env: { HOME: folder.path } })
  expect(check().files.map(({ summary }) => summary)).toEqual([
    'no servers file',
    'no rules file: every agent may use everything',
    'no settings file: defaults',
  ])
  folder.write('.mcp.json', { mcpServers: { one: { command: 'x' }, two: { command: 'y' } } })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: {} } })
  folder.write('portolan.yaml', { limits: { ratePerMinute: 7 } })
  const found = check()
  expect(found.files).toMatchObject([
    { path: folder.file('.mcp.json'), summary: '2 servers' },
    { path: folder.file('.mcp-gateway-rules.json'), summary: '1 agent' },
    { path: folder.file('portolan.yaml'), summary: 'settings' },
  ])
  expect(
    found.leftOut.map(({ path }) => path),
    'nobody has trusted this folder',
  ).toContain(folder.file('.mcp.json'))
  folder.write('.mcp-gateway-rules.json', { agents: 7 })
  const broken = check()
  expect(broken.ok).toBe(false)
  expect(broken.files.map(({ summary }) => summary)).toEqual(['2 servers', 'settings'])
})

it('checks what is pushed as replicas would read it, whatever the variables of whoever pushes are', () => {
  const mcp = JSON.stringify({ mcpServers: { web: { url: '${TEAM_URL}/mcp' } } })
  expect(checkStored({ mcp }, {})).toEqual({ problems: [], warnings: [] })
  expect(checkStored({ mcp: '{' }, {}).problems).toHaveLength(1)
  const rules = JSON.stringify({ agents: { ada: { allow: { servers: ['ghost'] } } } })
  expect(checkStored({ mcp, rules }, {}).warnings).toEqual([expect.stringContaining('ghost')])
  const hidden = { PORTOLAN_LIMITS_RATE_PER_MINUTE: '5' }
  const settings = 'limits: { ratePerMinute: many }'
  expect(checkStored({ mcp, settings }, hidden).problems).not.toEqual([])
})
