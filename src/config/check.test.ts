import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
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
