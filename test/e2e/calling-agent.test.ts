import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { call, execute, refusal, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

/** Two agents and two servers; who says nothing is the agent `quiet`. */
async function open(
  settings: JsonObject = { auth: { defaultAgent: 'quiet' } },
  deny_on_missing_agent = false,
): Promise<Opened> {
  return openGateway({
    servers: { files: stdioUpstream(), notes: stdioUpstream() },
    rules: {
      agents: {
        ada: { allow: { servers: ['*'] } },
        bob: { allow: { servers: ['notes'] } },
        quiet: { allow: { servers: ['*'] } },
      },
      defaults: { deny_on_missing_agent },
    },
    settings,
  })
}

const errorOf = (result: JsonObject) => structured(result)['error']

const MISTAKES: [string, string, JsonObject][] = [
  ['no tool', 'execute_tool', { server: 'notes' }],
  ['no server', 'execute_tool', { tool: 'echo' }],
  ['a negative time', 'execute_tool', { server: 'notes', tool: 'echo', timeout_ms: -1 }],
  ['a list for arguments', 'execute_tool', { server: 'notes', tool: 'echo', args: [1] }],
  ['an unknown key', 'execute_tool', { server: 'notes', tool: 'echo', agrs: {} }],
  ['an unknown key', 'get_server_tools', { server: 'notes', nmaes: ['echo'] }],
  ['no handle', 'read_result', {}],
]

/** How many of the tools that a client sees require `agent_id`. */
const required = async (gateway: Opened, headers: Record<string, string> = {}) => {
  const client = await gateway.connect({ query: '', headers })
  const { tools } = await client.request('tools/list')
  if (!Array.isArray(tools)) throw new Error('no tools')
  const schemas = tools.map((tool: JsonObject) => JSON.stringify(tool['inputSchema']))
  return schemas.filter((schema) => /"required":\[[^\]]*"agent_id"/.test(schema)).length
}

describe('the schemas of the discovery tools', () => {
  it('require agent_id of a client whom nothing else names, and of no other', async () => {
    const denying = await open({}, true)
    expect(await required(denying)).toBe(6)
    expect(await required(denying, { 'x-agent-id': 'ada' })).toBe(0)
    expect(await required(await open())).toBe(0)
  })
})

describe('a call with a mistake', () => {
  it.each(MISTAKES)('(%s, %s) is still that of the agent it names', async (_, tool, args) => {
    const gateway = await open()
    const client = await gateway.connect({ query: '' })
    for (const agent_id of ['ada', 'bob'])
      expect(errorOf(await call(client, tool, { ...args, agent_id }))).toMatchObject({
        code: 'INVALID_PARAMS',
      })
    await call(client, tool, args)
    const recorded = () => auditOf(gateway).filter(({ operation }) => operation === tool)
    await expect.poll(recorded).toHaveLength(3)
    expect(recorded().map(({ agent_id }) => agent_id)).toEqual(['ada', 'bob', 'quiet'])
  })

  it('gets the error of its parameter, not one about a missing agent', async () => {
    const client = await (await open({}, true)).connect({ query: '' })
    const args = { server: 'notes' }
    expect(errorOf(await call(client, 'execute_tool', { ...args, agent_id: 'bob' }))).toMatchObject(
      {
        message: 'Missing required parameter: tool',
      },
    )
    expect(errorOf(await call(client, 'execute_tool', args))).toMatchObject({
      code: 'INVALID_AGENT_ID',
    })
  })

  it('in the name of the tool is that of the agent it names, too', async () => {
    const gateway = await open()
    const client = await gateway.connect({ query: '' })
    for (const agent_id of ['ada', 'bob', undefined])
      await refusal(call(client, 'nothing_like_it', { agent_id }))
    const agents = () => auditOf(gateway).map(({ agent_id }) => agent_id)
    await expect.poll(agents).toEqual(['ada', 'bob', 'quiet'])
  })

  it('spends the rate of the agent it names', async () => {
    const client = await (
      await open({ auth: { defaultAgent: 'quiet' }, limits: { ratePerMinute: 1, burst: 2 } })
    ).connect({ query: '' })
    const wrong = async (agent_id: string) =>
      errorOf(await call(client, 'execute_tool', { server: 'notes', agent_id }))
    for (let n = 0; n < 2; n++) expect(await wrong('ada')).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(await wrong('ada')).toMatchObject({ code: 'RATE_LIMITED' })
    expect(await wrong('bob')).toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

describe('a parameter that a gateway tool does not have', () => {
  it('is refused with the name that was probably meant', async () => {
    const client = await (await open()).connect({ query: '' })
    const wrong = { server: 'notes', nmaes: ['echo'] }
    expect(errorOf(await call(client, 'get_server_tools', wrong))).toMatchObject({
      message: 'get_server_tools: unknown parameter "nmaes"',
      hint: "Did you mean 'names'?",
    })
    const right = { server: 'notes', names: ['echo'] }
    expect(valueOf(await call(client, 'get_server_tools', right))).toMatchObject({ returned: 1 })
    expect(errorOf(await call(client, 'list_servers', { zzz: 1 }))).toMatchObject({
      hint: 'list_servers takes: include_metadata, agent_id.',
    })
  })

  it('is "arguments" only to those that do not take it for "args"', async () => {
    const client = await (await open()).connect({ query: '' })
    const echo = { server: 'notes', tool: 'echo' }
    const said = { text: 'said' }
    for (const args of [{ args: said }, { arguments: said }, { args: null, arguments: said }])
      expect(textOf(await call(client, 'execute_tool', { ...echo, ...args }))).toBe('said')
    const both = { ...echo, args: said, arguments: said }
    expect(errorOf(await call(client, 'execute_tool', both))).toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'execute_tool: "args" and "arguments" are the same parameter',
    })
    expect(
      errorOf(await call(client, 'find_tools', { query: 'echo', arguments: {} })),
    ).toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

describe('an X-Agent-Id header', () => {
  it('is not overruled by the agent_id that a model writes', async () => {
    const gateway = await open()
    const client = await gateway.connect({ headers: { 'x-agent-id': 'bob' }, query: '' })
    const echo = { server: 'files', tool: 'echo' }
    expect(errorOf(await call(client, 'execute_tool', { ...echo, agent_id: 'ada' }))).toMatchObject(
      {
        code: 'INVALID_AGENT_ID',
        message: "The X-Agent-Id header says agent 'bob', the agent_id argument says 'ada'",
      },
    )
    for (const agent_id of ['bob', undefined])
      expect(errorOf(await call(client, 'execute_tool', { ...echo, agent_id }))).toMatchObject({
        message: "Agent 'bob' cannot access server 'files'",
      })
    const shared = await gateway.connect({ query: '' })
    expect(await call(shared, 'execute_tool', { ...echo, agent_id: 'ada' })).not.toHaveProperty(
      'isError',
      true,
    )
  })
})

describe('a server that was disabled after repeated failures', () => {
  const servers = { files: stdioUpstream(), notes: stdioUpstream() }

  it('is named in the status, and used at once when its settings have changed', async () => {
    const gateway = await openGateway({
      servers,
      settings: {
        deadlines: { tools: { 'files.hang': 100, 'notes.hang': 100 } },
        breaker: { failures: 2 },
      },
    })
    const client = await gateway.connect({ query: '' })
    const message = async () => valueOf(await call(client, 'get_gateway_status'))['message']
    const echo = async (server: string) =>
      textOf(await execute(client, server, 'echo', { text: 'x' }))
    expect(await echo('files')).toBe('x')
    expect(await message()).toBe('All servers are fine.')
    for (const server of ['files', 'notes'])
      for (let n = 0; n < 2; n++) await execute(client, server, 'hang')
    expect(await message()).toBe('Temporarily disabled after repeated failures: files, notes.')
    expect(await echo('files')).toContain('is temporarily disabled after repeated failures')

    const changed = { ...servers, files: { ...servers.files, env: { FIXED: '1' } } }
    gateway.folder.write('.mcp.json', { mcpServers: changed })
    await expect.poll(async () => echo('files')).toBe('x')
    expect(await echo('notes')).toContain('is temporarily disabled after repeated failures')
    expect(await message()).toBe('Temporarily disabled after repeated failures: notes.')
  })
})
