import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

function aFolder() {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { pg: { command: 'pg' } } })
  folder.write('.mcp-gateway-rules.json', {
    agents: {
      ada: {
        allow: { servers: ['pg'], tools: { pg: ['drop_it'] } },
        deny: { tools: { pg: ['drop*'] } },
      },
    },
  })
  return folder
}

it('prints the decision and the rule that made it', async () => {
  const { stdout, code } = await runCli(aFolder(), ['explain', 'ada', 'pg', 'drop_it'])
  expect(code).toBe(0)
  expect(stdout).toBe(
    "deny: Agent 'ada' not authorized to call tool 'drop_it' on server 'pg'\n" +
      'rule: agents.ada.deny.tools.pg[0]\n',
  )
})

it('names the person and the rule of their group', async () => {
  const folder = aFolder()
  folder.write('.mcp-gateway-rules.json', {
    groups: {
      platform: { match: { claim: 'groups', any: ['platform'] }, allow: { servers: ['pg'] } },
    },
  })
  const ask = async (...more: string[]) =>
    JSON.parse(
      (await runCli(folder, ['explain', 'ada@example.com', 'pg', ...more, '--json'])).stdout,
    )
  expect(await ask('--groups', 'platform,sales')).toMatchObject({
    decision: 'allow',
    rule: 'groups.platform.allow.servers[0]',
    user: 'ada@example.com',
    groups: ['platform', 'sales'],
  })
  expect(await ask('--groups', 'sales')).toMatchObject({
    decision: 'deny',
    reason: 'unknown_agent',
  })
})

it('notes names that nobody defined, with the nearest one', async () => {
  const { stdout } = await runCli(aFolder(), ['explain', 'adda', 'pgg', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    decision: 'deny',
    rule: 'agents (no rules for agent "adda")',
    reason: 'unknown_agent',
    notes: [
      expect.stringContaining("Did you mean 'ada'?"),
      expect.stringContaining("Did you mean 'pg'?"),
    ],
  })
})

it('says whether an agent may run scripts', async () => {
  const folder = tempFolder()
  folder.write('.mcp-gateway-rules.json', {
    agents: {
      ada: { allow: { servers: ['*'], scripts: true } },
      bob: { allow: { servers: ['*'] } },
    },
  })
  const said = async (...args: string[]) => (await runCli(folder, ['explain', ...args])).stdout
  expect(await said('ada', '--scripts')).toBe(
    "allow: Agent 'ada' may run scripts\nrule: agents.ada.allow.scripts\n",
  )
  expect(await said('bob', '--scripts')).toBe(
    "deny: Agent 'bob' may not run scripts\nrule: agents.bob (no allow.scripts)\n",
  )
  folder.write('portolan.yaml', { scripts: { enabled: false } })
  expect(await said('ada', '--scripts')).toContain('rule: scripts.enabled')
  expect((await runCli(folder, ['explain', 'ada'])).stderr).toContain('Name a server')
})

it('judges arguments by the conditions of rules', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { db: { command: 'db' } } })
  const drops = { tool: 'query', when: { properties: { sql: { pattern: '[dD][rR][oO][pP]' } } } }
  const ci = { allow: { servers: ['db'] }, deny: { tools: { db: [drops] } } }
  folder.write('.mcp-gateway-rules.json', { agents: { ci } })
  const explain = async (...args: string[]) => runCli(folder, ['explain', 'ci', ...args])
  expect((await explain('db.query', 'sql=drop table x')).stdout).toBe(
    "deny: Agent 'ci' may not call tool 'query' on server 'db' with these arguments\n" +
      'rule: agents.ci.deny.tools.db[0]\n',
  )
  expect((await explain('db', 'query', '{"sql": "select 1"}')).stdout).toContain('allow:')
  expect((await explain('db.query', 'sql=5')).stdout).toContain('"sql" is no string')
  expect((await explain('db', 'query')).stderr).toContain('conditions on the arguments')
  expect((await explain('db', 'sql=5')).stderr).toContain('Arguments belong to a tool')
})
