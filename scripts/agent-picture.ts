/**
 * Draws `docs/images/agent.svg`: what an agent does through Portolan. The steps are written here;
 * all answers come from a gateway with published servers, which this script runs.
 *
 *   npm run picture
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type JsonObject, isObject } from '../src/base/json/json.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { type Line, drawTerminal } from './draw-terminal.ts'

const ROOT = join(import.meta.dirname, '..')
const PUBLISHED = ['filesystem', 'memory', 'everything', 'sequential-thinking', 'github', 'gitlab']
/** The servers start without a valid key and list their tools; their services are not called. */
const KEYS = { GITHUB_PERSONAL_ACCESS_TOKEN: 'none', GITLAB_PERSONAL_ACCESS_TOKEN: 'none' }

const folder = mkdtempSync(join(tmpdir(), 'portolan-picture-'))
try {
  mkdirSync(join(folder, 'docs'))
  const handbook = readFileSync(
    join(ROOT, 'test/fixtures/knowledge/hoist-maintenance-handbook.md'),
    'utf8',
  )
  // Without the front matter.
  const [, , text = ''] = handbook.split(/^---$/m)
  writeFileSync(join(folder, 'docs/hoist.md'), text.trimStart())
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers() }))
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules()))
  const lines = await work()
  writeFileSync(join(ROOT, 'docs/images/agent.svg'), drawTerminal(lines))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function servers(): JsonObject {
  return Object.fromEntries(
    PUBLISHED.map((name) => {
      const program = join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
      const args = name === 'filesystem' ? [program, join(folder, 'docs')] : [program]
      return [name, { command: process.execPath, args, env: KEYS }]
    }),
  )
}

/** Rules that allow reading files, but not writing them. */
function rules(): JsonObject {
  const deny = { tools: { filesystem: ['write_*', 'edit_*'] } }
  return {
    agents: { default: { allow: { servers: ['*'] }, deny } },
    defaults: { deny_on_missing_agent: false },
  }
}

async function open(surface: string): Promise<Client> {
  const client = new Client({ name: 'an-agent', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(ROOT, 'dist/cli/main.js'), '--surface', surface],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        PORTOLAN_HOME: join(folder, 'data'),
        GATEWAY_MCP_CONFIG: join(folder, 'mcp.json'),
        GATEWAY_RULES: join(folder, 'rules.json'),
      },
      stderr: 'ignore',
    }),
  )
  return client
}

/** Returns the number of tools that a client puts into every conversation, and their tokens. */
async function shown(surface: string) {
  const client = await open(surface)
  const { tools } = await client.listTools()
  await client.close()
  return { count: tools.length, tokens: countTokens(JSON.stringify(tools)) }
}

async function work(): Promise<Line[]> {
  const all = await shown('direct')
  const few = await shown('discover')
  const client = await open('discover')
  const call = async (name: string, args: JsonObject) => {
    const { content } = await client.callTool({ name, arguments: args })
    const [first] = Array.isArray(content) ? content.filter(isObject) : []
    return String(first?.['text'])
  }
  const find = { query: 'read the text of a file', limit: 2 }
  const found: unknown = JSON.parse(await call('find_tools', find))
  const tools = isObject(found) && Array.isArray(found['tools']) ? found['tools'] : []
  const file = join(folder, 'docs/hoist.md')
  const read = { server: 'filesystem', tool: 'read_text_file', args: { path: file, head: 5 } }
  const write = { server: 'filesystem', tool: 'write_file', args: { path: file, content: '' } }
  const [text, refusal] = [await call('execute_tool', read), await call('execute_tool', write)]
  await client.close()
  const here = (value: string) => value.replaceAll(`${folder}/`, '')
  return [
    {
      kind: 'note',
      text: `${PUBLISHED.length} servers with ${all.count} tools: ${number(all.tokens)} tokens in every conversation.`,
    },
    {
      kind: 'note',
      text: `Through Portolan the agent starts with ${few.count} tools: ${number(few.tokens)} tokens.`,
    },
    { kind: 'call', text: `find_tools ${JSON.stringify(find)}` },
    ...tools.filter(isObject).map(({ server, call: how }): Line => ({
      kind: 'answer',
      text: `${String(server)}: ${String(how)}`,
    })),
    { kind: 'call', text: `execute_tool ${here(JSON.stringify(read))}` },
    ...text
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Line => ({ kind: 'answer', text: line })),
    { kind: 'call', text: `execute_tool ${here(JSON.stringify(write))}` },
    ...here(refusal)
      .split('\n')
      .map((line): Line => ({ kind: 'refusal', text: line })),
  ]
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
