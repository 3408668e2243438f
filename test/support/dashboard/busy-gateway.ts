import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RawClient } from '../clients/raw-client.ts'
import { execute } from '../clients/talk.ts'
import { openHttp } from '../clients/wires.ts'
import { SHOP } from '../code-project.ts'
import { type RunningGateway, startGateway } from '../gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../start.ts'
import { type Later, type TempFolder, tempFolder } from '../temp-folder.ts'

const EXAMPLES = join(import.meta.dirname, '../../fixtures')

export const RULES = {
  agents: {
    ada: { allow: { servers: ['*'] } },
    grace: {
      allow: { servers: ['files', 'weather', 'traces'] },
      deny: { tools: { files: ['crash', 'spawn_*'] } },
    },
    reader: { allow: { servers: ['knowledge'], tools: { knowledge: ['knowledge_search'] } } },
    dashboard: { allow: { servers: ['*'] } },
  },
  defaults: { deny_on_missing_agent: true },
}

const SETTINGS = {
  cache: { readOnly: true },
  budgets: { tools: { 'files.big': { maxTokens: 500 } } },
  breaker: { failures: 2 },
}

export interface BusyGateway extends RunningGateway {
  readonly folder: TempFolder
  readonly ada: RawClient
  readonly grace: RawClient
}

/** A real gateway with every kind of server, and enough calls to have data on every page. */
export async function startBusyGateway(later: Later): Promise<BusyGateway> {
  const folder = tempFolder(later)
  const weather = await startHttpUpstream('--name', 'weather', '--tools', '8')
  later(async () => weather.close())
  folder.write('.mcp.json', {
    mcpServers: {
      files: stdioUpstream('--name', 'files', '--tools', '24'),
      weather: { url: weather.url },
      broken: stdioUpstream('--die-on-start'),
      code: { builtin: 'code' },
      knowledge: { builtin: 'knowledge' },
      traces: { builtin: 'traces' },
    },
  })
  folder.write('.mcp-gateway-rules.json', RULES)
  folder.write('portolan.yaml', SETTINGS)
  for (const [path, text] of Object.entries(SHOP)) folder.write(path, text)
  const handbook = readFileSync(join(EXAMPLES, 'knowledge/hoist-maintenance-handbook.md'), 'utf8')
  folder.write('handbook.md', handbook)
  const gateway = await startGateway(folder, [], {}, later)
  const connect = async (agent: string) => {
    const client = await openHttp('legacy', `${gateway.url}/mcp`, { 'x-agent-id': agent })
    later(async () => client.close().catch(() => undefined))
    return client
  }
  const [ada, grace] = [await connect('ada'), await connect('grace')]
  const busy = { ...gateway, folder, ada, grace }
  await fill(busy)
  return busy
}

/** Makes calls for answers, denials, failures, cache hits, budgets, documents, code and traces. */
async function fill({ ada, grace, folder }: BusyGateway): Promise<void> {
  for (const client of [ada, grace]) await client.request('tools/list')
  for (let n = 0; n < 12; n++) {
    await execute(ada, 'files', 'echo', { text: `hello ${n % 3}` })
    await execute(grace, 'weather', `dummy_${n % 4}`, { collection: 'ports' })
  }
  await execute(ada, 'files', 'big', { bytes: 40_000 })
  await execute(ada, 'files', 'fail', { text: 'no such harbour' })
  await execute(ada, 'files', 'slow', { ms: 60, steps: 1 })
  for (let n = 0; n < 3; n++) await execute(ada, 'broken', 'anything').catch(() => undefined)
  await execute(grace, 'files', 'crash').catch(() => undefined)
  await execute(grace, 'knowledge', 'knowledge_search', { query: 'x' }).catch(() => undefined)
  await execute(ada, 'knowledge', 'knowledge_ingest', { url: folder.file('handbook.md') })
  await execute(ada, 'code', 'index_codebase', { path: folder.path })
  for (const trace of TRACES) await execute(ada, 'traces', 'contribute_trace', trace)
}

export const TRACES = [
  {
    title: 'Connection pool exhausted under slow reports',
    context_text:
      'Requests hung because every pooled connection was in use by a slow report; no error was logged until the health check failed.',
    solution_text:
      'Give the reports a small pool of their own and set a statement timeout, so that they cannot starve the rest.',
    tags: ['postgres', 'pooling'],
  },
  {
    title: 'Test runner hangs when a worker keeps a socket open',
    context_text:
      'The suite finished but the process never ended: one worker still held a keep-alive socket to a server under test.',
    solution_text: 'Close the agent of the HTTP client in the teardown, or unref its sockets.',
    tags: ['node', 'testing'],
  },
]
