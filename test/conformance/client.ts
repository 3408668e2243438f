/**
 * The client that the official suite tests: a gateway, with the server of a scenario behind it and
 * a client of the SDK before it that does what the scenario expects. Started by the suite, which
 * gives the address of its server as the last argument.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { JsonObject } from '../../src/base/json/json.ts'
import { MAIN } from '../support/gateway.ts'
import { removeFolder } from '../support/temporary-folder.ts'

const url = process.argv.at(-1) ?? ''
const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: version = '2025-11-25',
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env
const isModern = version === '2026-07-28'

/** Their servers do not answer `server/discover`, so a configuration has to say what they speak. */
const UNDESCRIBED = [
  'http-custom-headers',
  'http-invalid-tool-headers',
  'http-standard-headers',
  'sep-2322-client-request-state',
]

const WITHOUT_TOOLS = ['initialize', 'request-metadata']
const LISTED_MS = 40_000

const folder = mkdtempSync(join(tmpdir(), 'portolan-conformance-client-'))
const server = { url, ...(UNDESCRIBED.includes(scenario) && { protocol: version }) }
writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { suite: server } }))

const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' },
  },
)
client.setRequestHandler('elicitation/create', () => ({
  action: 'accept',
  content: scenario.startsWith('elicitation-') ? {} : { confirmed: true },
}))

try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, '--surface', 'direct'],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        PORTOLAN_HOME: join(folder, 'data'),
        PORTOLAN_ALONE: '1',
        GATEWAY_MCP_CONFIG: join(folder, 'mcp.json'),
      },
    }),
  )
  await useEverything()
} finally {
  await client.close()
  removeFolder(folder)
}

/** Everything the gateway offers is used once: the server of the scenario says what was right. */
async function useEverything(): Promise<void> {
  const tools = await listedTools()
  const { toolCalls }: { toolCalls?: { name: string; arguments: JsonObject }[] } =
    JSON.parse(context)
  const calls =
    toolCalls ?? tools.map(({ name }) => ({ name, arguments: argumentsOf(name, tools) }))
  for (const call of calls) await client.callTool(call).catch(report)
  const { resources } = await client.listResources()
  for (const { uri } of resources) await client.readResource({ uri }).catch(report)
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) await client.getPrompt({ name, arguments: {} }).catch(report)
}

/** On a busy machine the gateway may answer before the server of the scenario has listed its tools. */
async function listedTools() {
  const until = Date.now() + LISTED_MS
  for (;;) {
    const { tools } = await client.listTools()
    if (tools.length > 0 || WITHOUT_TOOLS.includes(scenario) || Date.now() > until) return tools
    await sleep(200)
  }
}

function argumentsOf(tool: string, tools: readonly { name: string; inputSchema: object }[]) {
  if (tool === 'add_numbers') return { a: 5, b: 3 }
  if (tool === 'json_schema_echo')
    return { schema: tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema }
  return { region: 'us-west1' }
}

function report(error: unknown): void {
  process.stderr.write(`${String(error)}\n`)
}
