import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../test/support/a-call.ts'
import { loadConfig } from '../config/load.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { cacheRulesOf, toolSettings } from './rules.ts'
import { trustEverything } from '../config/trust/trust-list.ts'

function rulesFor(mcpServers: Record<string, unknown>, cache: Record<string, unknown>) {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers })
  folder.write('portolan.yaml', { cache })
  const env = { HOME: folder.path }
  const rules = cacheRulesOf(loadConfig({ cwd: folder.path, env, trust: trustEverything }))
  return (server: string, name: string) =>
    rules.rule(
      aCall({
        upstream: anUpstream({ name: server, kind: 'stdio' }),
        tool: { server, name, definition: { name }, readOnly: true },
      }),
    )
}

it('keeps results of a server with a connection for each client only where its tool is named', () => {
  const servers = {
    plain: { command: 'x' },
    browser: { command: 'x', session: 'per-session' },
  }
  const rule = rulesFor(servers, { readOnly: true, tools: { 'browser.title': { ttlMs: 5 } } })
  expect(rule('plain', 'read')).toBeDefined()
  expect(rule('browser', 'read')).toBeUndefined()
  expect(rule('browser', 'title')).toMatchObject({ defaultMs: 5 })
})

const SERVERS = ['crm', 'crm.public', 'other']

it('gives a tool its own settings, or those of all tools of its server', () => {
  const of = toolSettings({ 'crm.list': 1, 'crm.*': 2 }, SERVERS)
  expect([of('crm', 'list'), of('crm', 'get'), of('other', 'list')]).toEqual([1, 2, undefined])
})

it('never gives the settings of one server to another whose dotted name is the same', () => {
  const of = toolSettings({ 'crm.public.list': 1 }, SERVERS)
  expect(of('crm.public', 'list')).toBe(1)
  expect(of('crm', 'public.list')).toBeUndefined()
  expect(toolSettings({ crm__public_list: 1 }, SERVERS)('crm', 'public_list')).toBe(1)
})
