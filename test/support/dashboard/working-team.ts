import { TRACES } from './busy-gateway.ts'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawClient } from '../clients/raw-client.ts'
import { execute } from '../clients/talk.ts'
import { openHttp } from '../clients/wires.ts'
import { SHOP } from '../code-project.ts'
import { startGateway } from '../gateway.ts'
import { type Later, type TempFolder, tempFolder } from '../temp-folder.ts'

const { resolve } = createRequire(import.meta.url)
const EXAMPLES = join(import.meta.dirname, '../../fixtures')
const AGENTS = ['architect', 'backend', 'reviewer', 'researcher'] as const

type Agent = (typeof AGENTS)[number]

const RULES = {
  agents: {
    architect: { allow: { servers: ['*'] } },
    backend: {
      allow: { servers: ['files', 'memory', 'code', 'traces', 'github'] },
      deny: { tools: { files: ['move_file'], github: ['merge_*', 'fork_*'] } },
    },
    reviewer: {
      allow: {
        servers: ['*'],
        tools: { files: ['read_*', 'list_*'], github: ['get_*', 'list_*'] },
      },
    },
    researcher: { allow: { servers: ['knowledge', 'maps', 'thinking'] } },
    dashboard: { allow: { servers: ['*'] } },
  },
  defaults: { deny_on_missing_agent: true },
}

const SETTINGS = {
  cache: { readOnly: true },
  budgets: { tools: { 'files.read_text_file': { maxTokens: 400 } } },
}

/** Returns the `.mcp.json` entry of a published server. */
function published(name: string, ...args: string[]) {
  return {
    command: process.execPath,
    args: [resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args],
  }
}

function servers(folder: TempFolder) {
  return {
    files: { ...published('server-filesystem', folder.path), description: 'The project on disk' },
    memory: {
      ...published('server-memory'),
      env: { MEMORY_FILE_PATH: folder.file('memory.jsonl') },
      description: 'What the team keeps in mind',
    },
    thinking: {
      ...published('server-sequential-thinking'),
      description: 'One thought after another',
    },
    everything: { ...published('server-everything'), description: 'Every feature of the protocol' },
    github: {
      ...published('server-github'),
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' },
      description: 'Issues and pull requests',
    },
    maps: {
      ...published('server-google-maps'),
      env: { GOOGLE_MAPS_API_KEY: 'none' },
      description: 'Places and routes',
    },
    code: { builtin: 'code', description: 'Search over this project' },
    knowledge: { builtin: 'knowledge', description: 'Handbooks and standards' },
    traces: { builtin: 'traces', description: 'What agents have learnt' },
  }
}

/** Starts a gateway in front of published servers, with four agents at work for some seconds. */
export async function startWorkingTeam(later: Later, seconds: number) {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: servers(folder) })
  folder.write('.mcp-gateway-rules.json', RULES)
  folder.write('portolan.yaml', SETTINGS)
  for (const [path, text] of Object.entries(SHOP)) folder.write(path, text)
  folder.write(
    'handbook.md',
    readFileSync(join(EXAMPLES, 'knowledge/hoist-maintenance-handbook.md'), 'utf8'),
  )
  const gateway = await startGateway(folder, [], {}, later)
  const team = new Map<Agent, RawClient>()
  for (const agent of AGENTS) {
    const client = await openHttp('legacy', `${gateway.url}/mcp`, { 'x-agent-id': agent })
    later(async () => client.close().catch(() => undefined))
    team.set(agent, client)
    await client.request('tools/list')
  }
  await prepare(team, folder)
  await work(team, folder, seconds)
  return { ...gateway, folder }
}

async function prepare(team: ReadonlyMap<Agent, RawClient>, folder: TempFolder): Promise<void> {
  const architect = team.get('architect')
  if (architect === undefined) return
  await execute(architect, 'knowledge', 'knowledge_ingest', { url: folder.file('handbook.md') })
  await execute(architect, 'code', 'index_codebase', { path: folder.path })
  for (const trace of TRACES) await execute(architect, 'traces', 'contribute_trace', trace)
}

/** Makes the calls of `DEEDS` in turn, at a rate that varies over time. */
async function work(
  team: ReadonlyMap<Agent, RawClient>,
  folder: TempFolder,
  seconds: number,
): Promise<void> {
  const until = Date.now() + seconds * 1_000
  for (let n = 0; Date.now() < until; n++) {
    const [agent, server, tool, args] = DEEDS[(n * 7) % DEEDS.length] ?? DEEDS[0]
    const client = team.get(agent)
    if (client !== undefined)
      void execute(client, server, tool, args(folder, n)).catch(() => undefined)
    await sleep(90 + 260 * (1 + Math.sin(n / 40)) * Math.random())
  }
  await sleep(500)
}

type Deed = readonly [
  Agent,
  server: string,
  tool: string,
  args: (folder: TempFolder, n: number) => Record<string, unknown>,
]

const read: Deed[3] = (folder, n) => ({
  path: folder.file(['handbook.md', 'src/cart.ts', 'package.json'][n % 3] ?? ''),
})

const DEEDS: readonly [Deed, ...Deed[]] = [
  ['backend', 'files', 'read_text_file', read],
  [
    'backend',
    'code',
    'search_code',
    (_, n) => ({ query: ['cart total', 'price', 'checkout'][n % 3] }),
  ],
  ['reviewer', 'files', 'list_directory', ({ path }) => ({ path })],
  [
    'researcher',
    'knowledge',
    'knowledge_search',
    (_, n) => ({ query: ['linings', 'brake', 'wind', 'radio'][n % 4] }),
  ],
  ['architect', 'memory', 'read_graph', () => ({})],
  [
    'architect',
    'thinking',
    'sequentialthinking',
    (_, n) => ({
      thought: `step ${n}`,
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    }),
  ],
  ['backend', 'traces', 'search_traces', (_, n) => ({ query: ['pool', 'socket'][n % 2] })],
  ['reviewer', 'files', 'read_text_file', read],
  ['architect', 'everything', 'echo', (_, n) => ({ message: `hello ${n}` })],
  ['backend', 'memory', 'search_nodes', () => ({ query: 'cart' })],
  ['reviewer', 'files', 'write_file', ({ path }) => ({ path: `${path}/x`, content: '' })],
  ['architect', 'everything', 'get-sum', (_, n) => ({ a: n, b: 1 })],
  ['researcher', 'knowledge', 'knowledge_search', (_, n) => ({ query: `clause ${n % 5}` })],
  ['backend', 'files', 'read_text_file', () => ({ path: '/no/such/file' })],
  [
    'architect',
    'everything',
    'trigger-long-running-operation',
    () => ({ duration: 0.2, steps: 2 }),
  ],
]
