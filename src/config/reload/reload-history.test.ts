import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createReloader } from './reloader.ts'
import { trustEverything } from '../trust/trust-list.ts'

function aReloader() {
  const folder = tempFolder()
  const servers = (value: object) => folder.write('.mcp.json', { mcpServers: value })
  servers({ git: { command: 'git-mcp', env: { TOKEN: 'one' } }, web: { command: 'web-mcp' } })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: {}, bob: {} } })
  const reloader = createReloader({
    cwd: folder.path,
    env: { HOME: folder.path },
    trust: trustEverything,
  })
  return { folder, servers, reloader }
}

it('remembers reloads with what changed in words, newest first, and never a value', () => {
  const { folder, servers, reloader } = aReloader()
  expect(reloader.history).toEqual([])
  servers({ git: { command: 'git-mcp', env: { TOKEN: 'hush-hush' } }, mail: { command: 'mail' } })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: { allow: { servers: ['*'] } } } })
  folder.write('portolan.yaml', { limits: { ratePerMinute: 7 }, breaker: { failures: 9 } })
  reloader.reload()
  reloader.reload()
  expect(reloader.history.map(({ outcome }) => outcome)).toEqual(['unchanged', 'applied'])
  expect(reloader.history[1]?.changes).toEqual([
    'server "git" changed',
    'server "web" removed',
    'server "mail" added',
    'rules of agent "ada" changed',
    'rules of agent "bob" removed',
    'setting limits.ratePerMinute changed',
    'setting breaker.failures changed',
  ])
  expect(JSON.stringify(reloader.history)).not.toContain('hush-hush')
})

it('says which settings wait for the next start', () => {
  const { folder, reloader } = aReloader()
  folder.write('portolan.yaml', { listen: { port: 1 }, cache: { staleMs: 7, ttlMs: 7 } })
  reloader.reload()
  expect(reloader.history[0]?.changes).toEqual([
    'setting listen.port changed (after a restart of the gateway)',
    'setting cache.ttlMs changed',
    'setting cache.staleMs changed (after a restart of the gateway)',
  ])
})

it('remembers which groups changed in the rules', () => {
  const { folder, reloader } = aReloader()
  const agents = { ada: {}, bob: {} }
  const match = { agent: 'a*' }
  const write = (groups: object) => folder.write('.mcp-gateway-rules.json', { agents, groups })
  write({ crew: { match }, guests: { match } })
  reloader.reload()
  write({ crew: { match, deny: { servers: ['web'] } } })
  reloader.reload()
  expect(reloader.history.map(({ changes }) => changes)).toEqual([
    ['rules of group "crew" changed', 'rules of group "guests" removed'],
    ['rules of group "crew" added', 'rules of group "guests" added'],
  ])
})

it('tells of a bad file, alone and beside a good one', () => {
  const { folder, servers, reloader } = aReloader()
  folder.write('.mcp-gateway-rules.json', '{ not json')
  reloader.reload()
  servers({ git: { command: 'other' } })
  reloader.reload()
  expect(reloader.history).toMatchObject([
    { outcome: 'partly', problems: [expect.stringContaining('.mcp-gateway-rules.json')] },
    { outcome: 'refused', changes: [] },
  ])
})

it('forgets the oldest ones', () => {
  const { reloader } = aReloader()
  for (let n = 0; n < 60; n++) reloader.reload()
  expect(reloader.history).toHaveLength(50)
})

it('says when the rules deny other calls without an agent, and warns each time', () => {
  const { folder, reloader } = aReloader()
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['ghost'] } }, bob: {} },
    defaults: { deny_on_missing_agent: false },
  })
  reloader.reload()
  expect(reloader.history[0]?.changes).toEqual([
    'rules of agent "ada" changed',
    'defaults.deny_on_missing_agent of the rules changed',
  ])
  reloader.reload()
  expect(reloader.history[0]).toMatchObject({
    outcome: 'unchanged',
    warnings: [expect.stringContaining('"ghost"')],
  })
})

it('a mistake in an entry that another file replaces does not hold up the replacement', () => {
  const { folder, servers, reloader } = aReloader()
  folder.write('.portolan/mcp.json', { mcpServers: { git: { command: 7 } } })
  servers({ git: { command: 'new-git-mcp' } })
  reloader.reload()
  expect(reloader.current.servers.get('git')).toMatchObject({ command: 'new-git-mcp' })
})
