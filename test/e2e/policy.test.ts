import { describe, expect, it } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import {
  call,
  execute,
  refusal,
  structured,
  textOf,
  toolNames,
  valueOf,
} from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { auditOf } from '../support/audit-of.ts'
import { stdioUpstream } from '../support/start.ts'

const RULES = {
  agents: {
    admin: { allow: { servers: ['*'] } },
    reader: {
      allow: { servers: ['*'], tools: { files: ['echo', 'who*'] } },
      deny: { servers: ['secret'], tools: { '*': ['crash'], notes: ['fail'] } },
    },
    guest: { allow: { servers: ['notes'], tools: { '*': ['echo'] } } },
  },
  defaults: { deny_on_missing_agent: false },
}

async function open(settings: JsonObject = {}): Promise<Opened> {
  return openGateway({
    servers: {
      files: stdioUpstream(),
      notes: { ...stdioUpstream(), description: 'Notes' },
      secret: { ...stdioUpstream('--name', 'hidden-place'), env: { TOKEN: 'x' } },
    },
    rules: RULES,
    settings,
  })
}

async function keyFor({ folder }: Opened, agent: string): Promise<string> {
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  return (await store.create(agent)).secret
}

const errorOf = (result: JsonObject) => structured(result)['error']

describe('the rules of an agent', () => {
  it('say the same in every list and for every call', async () => {
    const gateway = await open()
    const servers = ['files', 'notes', 'secret']
    const tools = ['echo', 'whoami', 'fail', 'log']
    const expected: Record<string, string[]> = {
      admin: servers.flatMap((server) => tools.map((tool) => `${server}__${tool}`)),
      reader: ['files__echo', 'files__whoami', 'notes__echo', 'notes__whoami', 'notes__log'],
      guest: ['notes__echo'],
      stranger: [],
    }
    for (const [agent, allowed] of Object.entries(expected)) {
      const client = await gateway.connect({ headers: { 'x-agent-id': agent } })
      const listed = await toolNames(client)
      for (const server of servers) {
        const shown = valueOf(await call(client, 'get_server_tools', { server, names: tools }))
        const described = Array.isArray(shown['tools']) ? shown['tools'] : []
        for (const tool of tools) {
          const name = `${server}__${tool}`
          const may = allowed.includes(name)
          const called = await execute(client, server, tool)
          const denied = isObject(errorOf(called)) && textOf(called).includes(`'${agent}'`)
          const place = `${agent} ${name}`
          expect([place, listed.includes(name)]).toEqual([place, may])
          expect([place, described.some((one) => isObject(one) && one['name'] === tool)]).toEqual([
            place,
            may,
          ])
          expect([place, denied]).toEqual([place, !may])
        }
      }
    }
  })

  it('hide a denied server in every answer', async () => {
    const { connect } = await open()
    const reader = await connect({ headers: { 'x-agent-id': 'reader' } })
    const admin = await connect({ headers: { 'x-agent-id': 'admin' } })
    await call(admin, 'secret__echo')
    const answers = [
      await call(reader, 'list_servers', { include_metadata: true }),
      await call(reader, 'get_gateway_status'),
      await reader.request('tools/list'),
      await reader.request('resources/list'),
      await reader.request('prompts/list'),
    ]
    expect(JSON.stringify(answers)).not.toMatch(/secret|hidden-place/)
    expect(textOf(await call(admin, 'list_servers'))).toContain('secret')
    expect(await refusal(reader.request('prompts/get', { name: 'secret__greet' }))).toMatchObject({
      code: -32_602,
    })
  })

  it('name themselves in every refusal', async () => {
    const { connect } = await open()
    const client = await connect({ headers: { 'x-agent-id': 'reader' } })
    const rule = async (server: string, tool: string) =>
      errorOf(await execute(client, server, tool))
    expect(await rule('secret', 'echo')).toMatchObject({
      code: 'DENIED_BY_POLICY',
      message: "Agent 'reader' cannot access server 'secret'",
      rule: 'agents.reader.deny.servers[0]',
    })
    expect(await rule('notes', 'fail')).toMatchObject({ rule: 'agents.reader.deny.tools.notes[0]' })
    expect(await rule('notes', 'crash')).toMatchObject({ rule: 'agents.reader.deny.tools.*[0]' })
    expect(await rule('files', 'log')).toMatchObject({
      message: "Agent 'reader' not authorized to call tool 'log' on server 'files'",
      rule: expect.stringContaining('agents.reader.allow.tools.files'),
    })
    expect(valueOf(await call(client, 'get_server_tools', { server: 'secret' }))).toMatchObject({
      error: "Access denied: Agent 'reader' cannot access server 'secret'",
      tools: [],
    })
  })

  it('deny an agent they do not name, although a missing one would be let in', async () => {
    const { connect } = await open()
    const client = await connect({ headers: { 'x-agent-id': 'nobody' } })
    expect(await toolNames(client)).toEqual([])
    expect(valueOf(await call(client, 'list_servers'))).toEqual({ list: [] })
    expect(errorOf(await execute(client, 'files', 'echo'))).toMatchObject({
      code: 'DENIED_BY_POLICY',
    })
  })

  it('deny a call that names no agent where there is no fallback', async () => {
    const { connect } = await open()
    const client = await connect()
    const args = { server: 'files', tool: 'echo' }
    expect(errorOf(await call(client, 'execute_tool', args))).toMatchObject({
      code: 'NO_FALLBACK_CONFIGURED',
    })
    const named = await call(client, 'execute_tool', { ...args, agent_id: 'admin' })
    expect(named).not.toHaveProperty('isError', true)
  })
})

describe('a key', () => {
  it('makes the agent, whatever else is claimed', async () => {
    const gateway = await open({ auth: { required: true } })
    const key = await keyFor(gateway, 'guest')
    const client = await gateway.connect({ headers: { authorization: `Bearer ${key}` } })
    expect(await toolNames(client)).toEqual(['notes__echo'])
    const args = { server: 'files', tool: 'echo', agent_id: 'admin' }
    expect(errorOf(await call(client, 'execute_tool', args))).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
    const spoofing = { authorization: `Bearer ${key}`, 'x-agent-id': 'admin' }
    await expect(gateway.connect({ headers: spoofing })).rejects.toThrow("not to 'admin'")
  })

  it('is asked for where one is required, and must be right', async () => {
    const gateway = await open({ auth: { required: true } })
    const post = async (headers: Record<string, string>, path = '/mcp') =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }),
      })
    const nothing = await post({ 'x-agent-id': 'admin' })
    expect(nothing.status).toBe(401)
    expect(nothing.headers.get('www-authenticate')).toContain('Bearer')
    expect((await post({ 'x-api-key': 'ptk_wrong' })).status).toBe(401)
    expect((await post({ 'x-api-key': await keyFor(gateway, 'guest') })).status).toBe(200)
    for (const path of ['/sse', '/metrics'])
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(401)
  })

  it('lets its agent mint a handle for less, that cannot become more', async () => {
    const gateway = await open()
    const headers = { authorization: `Bearer ${await keyFor(gateway, 'reader')}` }
    const parent = await gateway.connect({ headers })
    expect(await toolNames(await gateway.connect({ headers, query: '' }))).toContain('mint_handle')
    const wish = {
      name: 'helper',
      servers: ['notes', 'secret'],
      tools: { notes: ['echo', 'fail'] },
    }
    const { handle } = structured(await call(parent, 'mint_handle', wish))

    const child = await gateway.connect({ headers: { authorization: `Bearer ${String(handle)}` } })
    expect(await toolNames(child)).toEqual(['notes__echo'])
    const asChild = { server: 'notes', tool: 'echo', args: { text: 'me' }, agent_id: handle }
    expect(textOf(await call(parent, 'execute_tool', asChild))).toBe('me')
    for (const [server, tool] of [
      ['files', 'echo'],
      ['secret', 'echo'],
      ['notes', 'fail'],
    ])
      expect(
        errorOf(await call(parent, 'execute_tool', { ...asChild, server, tool })),
      ).toMatchObject({ code: 'DENIED_BY_POLICY' })

    const other = { authorization: `Bearer ${await keyFor(gateway, 'guest')}` }
    const stranger = await gateway.connect({ headers: other })
    expect(errorOf(await call(stranger, 'execute_tool', asChild))).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
    await expect
      .poll(() => auditOf(gateway))
      .toContainEqual(
        expect.objectContaining({
          agent_id: 'helper',
          decision: 'ALLOW',
          metadata: expect.objectContaining({ on_behalf_of: ['reader'] }),
        }),
      )
    expect(gateway.folder.read('data/audit.jsonl')).not.toContain(String(handle).slice(0, 40))
  })

  it('is needed to mint: a mere claim cannot be passed on', async () => {
    const { connect } = await open()
    const client = await connect({ headers: { 'x-agent-id': 'admin' } })
    const result = await call(client, 'mint_handle', { name: 'helper' })
    expect(errorOf(result)).toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

describe('every call', () => {
  it('leaves one line in the audit file, with the rule that decided', async () => {
    const gateway = await open()
    const client = await gateway.connect({ headers: { 'x-agent-id': 'reader' } })
    await execute(client, 'notes', 'echo')
    await execute(client, 'notes', 'fail')
    await call(client, 'files__echo')
    await execute(client, 'notes', 'rpc_error')
    await execute(client, 'notes', 'nothing')
    await call(client, 'list_servers')
    await expect.poll(() => auditOf(gateway).length).toBe(6)
    const [allowed, denied, direct, refused, unknown, list] = auditOf(gateway)
    expect(allowed).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      agent_id: 'reader',
      operation: 'execute_tool',
      decision: 'ALLOW',
      latency_ms: expect.any(Number),
      metadata: { server: 'notes', tool: 'echo', rule: 'agents.reader.allow.servers[0]' },
    })
    expect(denied).toMatchObject({
      decision: 'DENY',
      metadata: { reason: 'tool_not_allowed', rule: 'agents.reader.deny.tools.notes[0]' },
    })
    expect(direct).toMatchObject({
      operation: 'tools/call',
      metadata: { server: 'files', tool: 'echo', rule: 'agents.reader.allow.tools.files[0]' },
    })
    expect(refused).toMatchObject({
      decision: 'ERROR',
      metadata: { error: expect.stringContaining('refused') },
    })
    expect(unknown).toMatchObject({ decision: 'ERROR', metadata: { outcome: 'TOOL_NOT_FOUND' } })
    expect(list).toMatchObject({ operation: 'list_servers', decision: 'ALLOW' })
  })

  it('is counted, for Prometheus and as JSON', async () => {
    const { connect, url } = await open()
    const client = await connect({ headers: { 'x-agent-id': 'reader' } })
    await execute(client, 'notes', 'echo')
    await execute(client, 'notes', 'fail')
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toMatch(/^portolan_calls_total\{decision="DENY"\} 1$/m)
    expect(text).toMatch(/^portolan_tool_calls_total\{tool="notes\/echo",decision="ALLOW"\} 1$/m)
    expect(text).toMatch(/^portolan_upstreams\{state="ready"\} \d$/m)
    expect(text).toMatch(/^portolan_sessions 1$/m)
    const json = await fetch(`${url}/metrics`, { headers: { accept: 'application/json' } })
    expect(await json.json()).toMatchObject({
      calls: { decisions: { ALLOW: 1, DENY: 1 } },
      agents: { reader: { count: 2, denial_rate: 0.5, p99_latency_ms: expect.any(Number) } },
    })
  })
})

it('says that it is well and ready', async () => {
  const { url } = await open()
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    status: 'ok',
    service: 'portolan',
    uptime_seconds: expect.any(Number),
  })
  expect(await (await fetch(`${url}/ready`)).json()).toEqual({
    status: 'ready',
    servers_configured: 3,
    checks: {
      serving: { ok: true, required: true },
      config: { ok: true, required: false },
      audit: { ok: true, required: false },
      builtins: { ok: true, required: true },
    },
  })
})

it('records arguments only where it is asked to, and never a secret in them', async () => {
  const gateway = await open({ audit: { arguments: true } })
  const client = await gateway.connect({ headers: { 'x-agent-id': 'admin' } })
  await call(client, 'notes__echo', {
    text: 'a plain word, and sk-proj-Abcdefghijklmnopqrstuvwx1234',
  })
  await expect.poll(() => JSON.stringify(auditOf(gateway))).toContain('a plain word')
  expect(JSON.stringify(auditOf(gateway))).not.toContain('Abcdefghijklmnopqrstuvwx1234')
})
