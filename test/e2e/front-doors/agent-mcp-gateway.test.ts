import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, it, onTestFinished } from 'vitest'
import { packageFile } from '../../../src/base/files/package-files.ts'
import { MAIN } from '../../support/gateway.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

// The snippets of "Milestone 1: Core Functionality", with Portolan in the place of main.py.
const BRAVE = { command: process.execPath, args: [packageFile('test/fixtures/brave-search.mjs')] }

function aFolder(): TempFolder {
  const folder = tempFolder()
  folder.write('mcp.json', { mcpServers: { 'brave-search': BRAVE, secret: BRAVE } })
  folder.write('rules.json', {
    agents: {
      researcher: {
        allow: { servers: ['brave-search'], tools: { 'brave-search': ['*'] } },
        deny: { tools: { 'brave-search': ['brave_local_*'] } },
      },
    },
    defaults: { deny_on_missing_agent: true },
  })
  return folder
}

/** The client of the document, with the variables of the original and nothing of ours. */
async function aClient(folder: TempFolder) {
  const client = new Client({ name: 'researcher', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN],
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder.path,
      GATEWAY_MCP_CONFIG: folder.file('mcp.json'),
      GATEWAY_RULES: folder.file('rules.json'),
    },
    stderr: 'pipe',
  })
  let log = ''
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await client.connect(transport)
  onTestFinished(async () => client.close())
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args })
    const [block]: { text?: string }[] = Array.isArray(content) ? content : []
    return { isError, text: block?.text ?? '' }
  }
  return { client, call, log: () => log }
}

const WHO = { agent_id: 'researcher' }

it('test_full_workflow: list servers, get tools, execute a tool', async () => {
  const { call, log } = await aClient(aFolder())
  const servers: { name: string }[] = JSON.parse((await call('list_servers', WHO)).text)
  expect(servers.map(({ name }) => name)).toContain('brave-search')
  expect(servers.map(({ name }) => name)).not.toContain('secret')

  const of = { ...WHO, server: 'brave-search' }
  const tools = JSON.parse((await call('get_server_tools', of)).text)
  expect(tools.tools.map(({ name }: { name: string }) => name)).toEqual(['brave_web_search'])
  expect(tools).toMatchObject({ server: 'brave-search', returned: 1 })

  const query = 'FastMCP documentation'
  const execute = { ...of, tool: 'brave_web_search', args: { query } }
  expect(await call('execute_tool', execute)).toEqual({
    isError: false,
    text: `Results for ${query}`,
  })
  await expect
    .poll(log)
    .toContain('Reads the variables of agent-mcp-gateway: GATEWAY_MCP_CONFIG, GATEWAY_RULES.')
})

it('filters by name, pattern and tokens, and refuses what the rules do not allow', async () => {
  const { call } = await aClient(aFolder())
  const of = { ...WHO, server: 'brave-search' }
  const namesBy = async (more: object) => {
    const { tools } = JSON.parse((await call('get_server_tools', { ...of, ...more })).text)
    return tools.map(({ name }: { name: string }) => name)
  }
  expect(await namesBy({ names: ['brave_web_search', 'brave_local_search'] })).toEqual([
    'brave_web_search',
  ])
  expect(await namesBy({ pattern: 'brave_*' })).toEqual(['brave_web_search'])
  expect(await namesBy({ pattern: 'get_*' })).toEqual([])
  expect(await namesBy({ max_schema_tokens: 1 })).toEqual([])
  const denied = await call('execute_tool', { ...of, tool: 'brave_local_search', args: {} })
  expect(denied).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /^Agent 'researcher' not authorized to call tool 'brave_local_search'/,
    ),
  })
  const other = await call('execute_tool', { ...WHO, server: 'secret', tool: 'x', args: {} })
  expect(other).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Agent 'researcher' cannot access server 'secret'/),
  })
  const nobody = await call('list_servers', {})
  expect(nobody.isError).toBe(true)
})

it('ends a tool at its timeout_ms, and takes 0 for no limit of its own', async () => {
  const { call } = await aClient(aFolder())
  const slow = (timeout_ms: number, waitMs: number) =>
    call('execute_tool', {
      ...WHO,
      server: 'brave-search',
      tool: 'brave_web_search',
      args: { query: 'x', waitMs },
      timeout_ms,
    })
  // The server is up from here on: its start counts as well.
  expect(await slow(0, 0)).toMatchObject({ isError: false })
  expect(await slow(200, 60_000)).toMatchObject({
    isError: true,
    text: expect.stringContaining('Tool execution timed out after 200ms'),
  })
  expect(await slow(0, 300)).toEqual({ isError: false, text: 'Results for x' })
})

it('applies a saved rule to the next call, and keeps the old rules where the new ones are wrong', async () => {
  const folder = aFolder()
  const { call } = await aClient(folder)
  const run = async () =>
    call('execute_tool', {
      ...WHO,
      server: 'brave-search',
      tool: 'brave_web_search',
      args: { query: 'x' },
    })
  expect((await run()).isError).toBe(false)
  folder.write('rules.json', '{ not json')
  const status = async () => (await call('get_gateway_status', WHO)).text
  await expect.poll(status).toMatch(/rules\.json/)
  expect((await run()).isError).toBe(false)
  folder.write('rules.json', { agents: { researcher: { deny: { servers: ['*'] } } } })
  await expect.poll(async () => (await run()).isError).toBe(true)
})
