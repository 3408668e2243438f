import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { commonTraceBackend } from '../support/front-doors/common-trace-backend.ts'
import { startMoodyServer } from '../support/front-doors/moody-server.ts'
import { freePort } from '../support/free-port.ts'
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

/** A home in which `claude` and `portolan` are programs. */
async function aHome(env: Record<string, string> = {}) {
  const claude = await installClient(CLAUDE, 'claude')
  const folder: TempFolder = tempFolder()
  folder.write('project/README.md', '# A project\n')
  folder.write('bin/portolan', `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`)
  chmodSync(folder.file('bin/portolan'), 0o755)
  folder.write('.claude.json', { hasCompletedOnboarding: true })
  const run = async (line: string, model = '') =>
    runProgram('sh', ['-c', line], {
      cwd: folder.file('project'),
      env: {
        PATH: [folder.file('bin'), dirname(claude), process.env['PATH']].join(delimiter),
        HOME: folder.path,
        PORTOLAN_HOME: folder.file('data'),
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

interface Line {
  readonly page: string
  readonly transport: 'stdio' | 'http'
  readonly server: string
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly answer: string
}

const ARGS = { search_traces: { query: 'jwt' }, nsip_list_breeds: {}, knowledge_stats: {} }

it.each<Line>([
  {
    page: 'commontrace',
    transport: 'stdio',
    server: 'commontrace',
    tool: 'search_traces',
    args: ARGS.search_traces,
    answer: 'FastAPI JWT auth',
  },
  {
    page: 'commontrace',
    transport: 'http',
    server: 'commontrace',
    tool: 'search_traces',
    args: ARGS.search_traces,
    answer: 'FastAPI JWT auth',
  },
  {
    page: 'knowledge-mcp',
    transport: 'stdio',
    server: 'knowledge',
    tool: 'knowledge_stats',
    args: ARGS.knowledge_stats,
    answer: 'total_chunks',
  },
])(
  'claude mcp add, as the page $page has it for $transport, and a whole turn with $tool',
  async ({ page, transport, server, tool, args, answer }) => {
    const api = await startMoodyServer(commonTraceBackend(KEY))
    const port = await freePort()
    const patient = { READ_TIMEOUT: '20', MCP_TIMEOUT: '60000' }
    const { run, waitFor } = await aHome(patient)
    if (transport === 'http')
      await openDoor(
        tempFolder(),
        ['traces', 'mcp'],
        {
          API_BASE_URL: api.url,
          MCP_TRANSPORT: 'http',
          MCP_PORT: String(port),
          READ_TIMEOUT: '20',
        },
        { 'X-API-Key': KEY },
      )
    const line = linesOf(page).find((each) => each.includes(`--transport ${transport}`)) ?? ''
    expect(line).not.toBe('')
    const typed = line
      .replace('http://localhost:8000', api.url)
      .replace('localhost:8080', `127.0.0.1:${port}`)
    expect(await run(typed)).toMatchObject({ code: 0 })
    waitFor(server)
    const model = await startScriptedModel({ tool, args })
    const allowed = `mcp__${server}__${tool}`
    const turn = await run(`claude -p "Use ${tool}." --allowedTools ${allowed}`, model.url)
    expect(turn).toMatchObject({ code: 0 })
    expect(model.results.join('\n')).toContain(answer)
  },
)
