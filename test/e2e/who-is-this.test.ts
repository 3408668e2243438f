import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { callCommand } from '../../web/src/ui/calls/call-command.ts'
import { auditOf } from '../support/audit-of.ts'
import { execute } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SERVERS = { notes: stdioUpstream(), files: stdioUpstream() }
const RULES = {
  agents: {
    default: { allow: { servers: ['notes'] } },
    ada: { allow: { servers: ['files'] } },
  },
  groups: { ops: { match: { claim: 'groups', any: ['ops'] }, allow: { servers: ['files'] } } },
  defaults: { deny_on_missing_agent: false },
}

it('a client without a key is the same one everywhere', async () => {
  const gateway = await openGateway({ servers: SERVERS, rules: RULES })
  const { folder, url } = gateway
  const ask = dashboardOf(url)
  const codex = await gateway.connect({ clientInfo: { name: 'codex-mcp-client' }, query: '' })
  await codex.request('tools/list', {})
  await execute(codex, 'notes', 'echo', { text: 'x' })

  const explain = async (server: string) => {
    const { stdout } = await runBuilt(folder, ['explain', 'codex', server, 'echo', '--json'])
    return JSON.parse(stdout)
  }
  expect(await explain('notes')).toMatchObject({
    decision: 'allow',
    on_behalf_of: ['default'],
    rule: 'agents.default.allow.servers[0]',
    notes: [expect.stringContaining('a client of that name has the rights of "default"')],
  })
  expect((await explain('files')).decision).toBe('deny')

  const { agents } = (await ask('GET /agents')).value
  const cells = agents.find(({ id }) => id === 'codex')?.cells.map(({ effect }) => effect)
  expect(cells).toEqual(['allow', 'deny'])
  const tools = await ask('GET /agents/:agent/:server', {
    params: { agent: 'codex', server: 'notes' },
  })
  expect(tools.value.effect).toBe('allow')
  const tried = async (server: string) =>
    (await ask('POST /policy/check', { body: { agent: 'codex', server } })).value.verdict?.effect
  expect([await tried('notes'), await tried('files')]).toEqual(['allow', 'deny'])

  const stats = JSON.parse((await runBuilt(folder, ['stats', '--json'])).stdout)
  expect(stats.saved.discovery).toMatchObject({ lists: 1 })
  expect(stats.saved.discovery.tokens_per_direct_list).toBeGreaterThan(100)
  const replayed = await runBuilt(folder, ['rules', 'replay', '--json'])
  expect(replayed.stdout).not.toContain('codex')

  const { calls } = (await ask('GET /calls')).value
  const call = calls.find(({ tool }) => tool === 'echo')
  if (!call) throw new Error('the call is not on the page')
  expect(call).toMatchObject({ agent: 'codex', onBehalfOf: ['default'], isClient: true })
  // Pasted into a shell in any folder, as it is on the page.
  const elsewhere = tempFolder()
  const program = `portolan() { '${process.execPath}' '${MAIN}' "$@"; }`
  const pasted = callCommand(call, '{"text":"again"}', `${url}/mcp`)
  const options = { cwd: elsewhere.path, env: gatewayEnv(elsewhere), encoding: 'utf8' } as const
  expect(execFileSync('/bin/sh', ['-c', `${program}; ${pasted}`], options)).toBe('again\n')
  await gateway.close()
  const echoes = auditOf(gateway).filter(({ metadata }) =>
    JSON.stringify(metadata).includes('echo'),
  )
  expect(echoes.map(({ agent_id }) => agent_id)).toEqual(['codex', 'codex'])
})

it('`portolan call` is a client by its name, and reaches any gateway by its address and key', async () => {
  const gateway = await openGateway({
    servers: SERVERS,
    rules: RULES,
    settings: { auth: { required: true } },
  })
  const { folder, url } = gateway
  const { stdout: key } = await runBuilt(folder, ['keys', 'create', 'ada'])
  const elsewhere = tempFolder()
  const call = async (server: string, ...more: string[]) =>
    runBuilt(elsewhere, ['call', '--url', url, `${server}__echo`, 'text=hello', ...more])
  expect((await call('files', '--key', key.trim())).stdout).toBe('hello\n')
  expect((await call('notes', '--key', key.trim())).code).toBe(1)
  const refused = await call('files')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('PORTOLAN_KEY')
  const nobody = await runBuilt(elsewhere, ['call', '--url', 'http://127.0.0.1:1', 'x__y'])
  expect(nobody.code).toBe(1)
  const wrong = await runBuilt(elsewhere, ['call', '--url', 'files', 'x__y'])
  expect(wrong.stderr).toContain("'files' is not the address of a gateway")

  const own = tempFolder()
  own.write('.mcp.json', { mcpServers: SERVERS })
  own.write('.mcp-gateway-rules.json', RULES)
  const asCodex = await runBuilt(own, ['call', 'notes__echo', 'text=hi', '--agent', 'codex'])
  expect(asCodex.stdout).toBe('hi\n')
})

it('a stored user has their groups everywhere', async () => {
  const gateway = await openGateway({
    servers: SERVERS,
    rules: RULES,
    settings: { auth: { server: { enabled: true } } },
  })
  const { folder, url } = gateway
  const added = ['users', 'create', 'eve', '--groups', 'ops']
  expect((await runCli(folder, added, {})).code).toBe(0)
  const { stdout } = await runBuilt(folder, ['explain', 'eve', 'files', 'echo', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ decision: 'allow', user: 'eve', groups: ['ops'] })
  const ask = dashboardOf(url)
  const { agents } = (await ask('GET /agents')).value
  const row = agents.find(({ id }) => id === 'eve')
  expect(row).toMatchObject({ source: 'users', cells: [{ effect: 'deny' }, { effect: 'allow' }] })
  const checked = await ask('POST /policy/check', { body: { agent: 'eve', server: 'files' } })
  expect(checked.value.verdict?.effect).toBe('allow')
  expect(checked.value.notes).toContain('"eve" is a person in the groups ops')
})
