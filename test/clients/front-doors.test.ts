import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { commonTraceBackend } from '../support/front-doors/common-trace-backend.ts'
import { startMoodyServer } from '../support/front-doors/moody-server.ts'
import { freePort } from '../support/free-port.ts'
import { packageFile } from '../../src/base/files/package-files.ts'
import { MAIN } from '../support/gateway.ts'
import { installClient } from '../support/install-client.ts'
import { runProgram } from '../support/run-program.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { openDoor } from '../support/front-doors/open-door.ts'

const CLAUDE = '@anthropic-ai/claude-code@2.1.327'
const KEY = 'ct_your_key_here'

/** A page of docs/coming-from, and the lines of it that a person types. */
function linesOf(page: string): string[] {
  const file = join(import.meta.dirname, `../../docs/coming-from/${page}.md`)
  return readFileSync(file, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.startsWith('claude mcp add'))
    .map((line) => line.replaceAll(/\s+/g, ' '))
}

/** A home in which `claude` and `portolan` are programs; `more` are arguments of every `portolan`. */
async function aHome(folder: TempFolder, env: Record<string, string>, more: string) {
  const claude = await installClient(CLAUDE, 'claude')
  folder.write('bin/portolan', `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@" ${more}\n`)
  chmodSync(folder.file('bin/portolan'), 0o755)
  folder.write('.claude.json', { hasCompletedOnboarding: true })
  const run = async (line: string, model = '') =>
    runProgram('sh', ['-c', line], {
      cwd: folder.file('project'),
      env: {
        PATH: [folder.file('bin'), dirname(claude), process.env['PATH']].join(delimiter),
        HOME: folder.path,
        PORTOLAN_HOME: folder.file('data'),
        // It would go on in the background after the test.
        PORTOLAN_ALONE: '1',
        ...(model !== '' && { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'sk-scripted' }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // Otherwise it shows the model names of tools only, which the script cannot search.
        ENABLE_TOOL_SEARCH: 'false',
        ...env,
      },
    })
  /** Marks a server that Claude Code has added: otherwise a turn may begin before it has started. */
  const waitFor = (server: string) => {
    const config = JSON.parse(folder.read('.claude.json'))
    const [project] = Object.values<{ mcpServers?: Record<string, object> }>(config.projects)
    Object.assign(project?.mcpServers?.[server] ?? {}, { alwaysLoad: true })
    folder.write('.claude.json', config)
  }
  return { run, waitFor }
}

interface Door {
  readonly page: string
  readonly server: string
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly answer: string
  /** The command that the page starts over HTTP, and the variables that it sets for it. */
  readonly command: readonly string[]
  readonly env?: Record<string, string>
  /** What takes the place of the real dependency, on stdio and over HTTP. */
  readonly more?: string
  readonly headers?: Record<string, string>
  /** The port that the line over HTTP has. */
  readonly port: number
}

const WEB_SEARCH = {
  agent_id: 'researcher',
  server: 'brave-search',
  tool: 'brave_web_search',
  args: { query: 'sheep' },
}
const DOORS: readonly Door[] = [
  {
    page: 'commontrace',
    server: 'commontrace',
    tool: 'search_traces',
    args: { query: 'jwt' },
    answer: 'FastAPI JWT auth',
    command: ['traces', 'mcp'],
    headers: { 'X-API-Key': KEY },
    port: 8080,
  },
  {
    page: 'cocosearch',
    server: 'cocosearch',
    tool: 'search_code',
    args: { query: 'find the shop' },
    answer: 'findShop',
    command: ['code', 'mcp'],
    env: { COCOSEARCH_AUTO_INDEX: 'true' },
    port: 3000,
  },
  {
    page: 'agent-mcp-gateway',
    server: 'gateway',
    tool: 'execute_tool',
    args: WEB_SEARCH,
    answer: 'Results for sheep',
    command: ['serve'],
    port: 7411,
  },
  {
    page: 'nsip',
    server: 'nsip',
    tool: 'nsip_list_breeds',
    args: {},
    answer: 'Katahdin',
    command: ['api', 'nsip'],
    more: '--demo',
    port: 8000,
  },
  {
    page: 'knowledge-mcp',
    server: 'knowledge',
    tool: 'knowledge_stats',
    args: {},
    answer: 'total_chunks',
    command: ['knowledge', 'mcp'],
    port: 8001,
  },
]

/** What the lines of the pages speak of. */
function aProject(): TempFolder {
  const folder = tempFolder()
  folder.write('project/shop.ts', 'export function findShop() { return 1 }\n')
  folder.write('project/cocosearch.yaml', '')
  const args = [packageFile('test/fixtures/brave-search.mjs')]
  folder.write('.mcp.json', { mcpServers: { 'brave-search': { command: process.execPath, args } } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { researcher: { allow: { servers: ['*'] } } },
  })
  return folder
}

const TYPED = DOORS.flatMap((door) =>
  (['stdio', 'http'] as const).map((transport) => ({ ...door, transport })),
)

it.each(TYPED)(
  'claude mcp add, as the page $page has it for $transport, and a whole turn with $tool',
  async ({ page, transport, server, tool, args, answer, port, ...door }) => {
    const api = await startMoodyServer(commonTraceBackend(KEY))
    const folder = aProject()
    const files = {
      GATEWAY_MCP_CONFIG: folder.file('.mcp.json'),
      GATEWAY_RULES: folder.file('.mcp-gateway-rules.json'),
    }
    const patient = { ...door.env, READ_TIMEOUT: '20', MCP_TIMEOUT: '60000' }
    const { run, waitFor } = await aHome(folder, patient, door.more ?? '')
    const free = await freePort()
    if (transport === 'http')
      await openDoor(
        folder,
        [...door.command, ...(door.more ? [door.more] : [])],
        {
          ...patient,
          ...files,
          API_BASE_URL: api.url,
          MCP_TRANSPORT: 'http',
          MCP_PORT: String(free),
        },
        door.headers,
      )
    const line = linesOf(page).find((each) => each.includes(`--transport ${transport}`)) ?? ''
    expect(line).not.toBe('')
    const typed = line
      .replace(/(?:localhost|127\.0\.0\.1):(\d+)/, (address, at: string) =>
        Number(at) === port ? `127.0.0.1:${free}` : address,
      )
      .replace('http://localhost:8000', api.url)
      .replace('/path/to/project', folder.file('project'))
      .replaceAll('/path/to/', `${folder.path}/`)
    expect(await run(typed)).toMatchObject({ code: 0 })
    waitFor(server)
    const model = await startScriptedModel({ tool, args })
    const allowed = `mcp__${server}__${tool}`
    const turn = await run(`claude -p "Use ${tool}." --allowedTools ${allowed}`, model.url)
    expect(turn).toMatchObject({ code: 0 })
    expect(model.results.join('\n')).toContain(answer)
  },
)
