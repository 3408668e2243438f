import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { MAIN, startGateway } from '../support/gateway.ts'
import { installClient } from '../support/install-client.ts'
import { CLIENTS, PROMPT, SERVER } from '../support/real-clients.ts'
import { runProgram } from '../support/run-program.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import type { JsonObject } from '../../src/base/json/json.ts'

/** A server whose one tool answers with 6,000 lines, about 200,000 characters. */
const LONG = fileURLToPath(new URL('../support/long-answer.mjs', import.meta.url))

/** A home with one client in it, and how programs run there. */
function aHome(folder: TempFolder, env: Record<string, string> = {}) {
  folder.write('project/README.md', '# A project\n')
  const run = async (program: string, args: readonly string[]) =>
    runProgram(program, args, {
      cwd: folder.file('project'),
      env: {
        PATH: process.env['PATH'],
        HOME: folder.path,
        PORTOLAN_HOME: folder.file('data'),
        PORTOLAN_ALONE: '1',
        ...env,
      },
    })
  return { run, portolan: async (...args: string[]) => run(process.execPath, [MAIN, ...args]) }
}

describe.each(CLIENTS)('$id', ({ pinned, program, file, content, turn, env }) => {
  it('is adopted, lists Portolan, calls a tool through it in a whole turn, and gets its file back', async () => {
    const client = await installClient(pinned, program)
    const model = await startScriptedModel({
      tool: 'execute_tool',
      args: { server: 'everything', tool: 'echo', args: { message: 'ahoy from the script' } },
    })
    const folder = tempFolder()
    folder.write(file, content(model.url))
    const original = folder.read(file)
    const { run, portolan } = aHome(folder, env?.(model.url))

    expect(await portolan('adopt', '--yes', '--no-count')).toMatchObject({ code: 0, stderr: '' })
    expect(folder.read(file)).not.toContain(SERVER)
    expect((await portolan('adopt', '--undo')).code).toBe(0)
    expect(folder.read(file)).toBe(original)

    await portolan('adopt', '--yes', '--no-count')
    const listed = await run(client, ['mcp', 'list'])
    expect(listed.stdout + listed.stderr).toMatch(/portolan/)
    expect(listed.stdout + listed.stderr).not.toMatch(/everything/)

    const { stdout, stderr } = await run(client, turn)
    expect(stdout + stderr).toContain('The tool has answered.')
    expect(model.results.join('\n')).toContain('ahoy from the script')
    // No client hides our tools behind its own tool search.
    expect(model.tools()).toContainEqual(expect.stringMatching(/find_tools$/))
    expect(model.tools().filter((name) => name.includes('get-sum'))).toEqual([])

    // Some clients write their file whenever they run: then only the other edits stay.
    expect((await portolan('adopt', '--undo')).code).toBe(0)
    expect(folder.read(file)).toContain(SERVER)
    expect(folder.read(file)).not.toContain(MAIN)
  })
})

const isWhole = (result: string) => result.includes('line 0 ') && result.includes('line 5999 ')

it('Claude Code finds a tool by our words for it, and shows as much of its result as is allowed', async () => {
  const claude = await installClient('@anthropic-ai/claude-code@2.1.327', 'claude')
  const folder = tempFolder()
  folder.write('data/mcp.json', {
    mcpServers: { stripe: { command: process.execPath, args: [LONG] } },
  })
  folder.write('.claude.json', { hasCompletedOnboarding: true })
  const turn = async (tool: string, args: JsonObject, settings: object) => {
    const model = await startScriptedModel({ tool, args })
    const { run, portolan } = aHome(folder, {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    })
    folder.write('data/portolan.yaml', { surface: 'direct', ...settings })
    await portolan('connect', 'claude-code')
    const entry = JSON.parse(folder.read('.claude.json'))
    // As a person writes it by hand: then its own search finds our tools.
    if (tool === 'ToolSearch') delete entry.mcpServers.portolan.alwaysLoad
    folder.write('.claude.json', entry)
    await run(claude, ['-p', PROMPT, '--allowedTools', 'mcp__portolan__create_customer'])
    return model.results.join('\n')
  }
  const call = async (settings: object) => turn('create_customer', {}, settings)
  expect(isWhole(await call({ budgets: { maxTokens: 100_000 } }))).toBe(true)
  // At its own default, it keeps less.
  expect(isWhole(await call({}))).toBe(false)
  const found = await turn('ToolSearch', { query: 'buyer', max_results: 3 }, {})
  expect(found).toMatch(/tool_reference[^}]*create_customer/)
})

it('answers the Inspector on stdio, and through mcp-remote over HTTP', async () => {
  const inspector = await installClient('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
  const remote = await installClient('mcp-remote@0.15.1', 'mcp-remote')
  const folder = tempFolder()
  const { run } = aHome(folder)
  const { url } = await startGateway(folder)
  const list = ['--method', 'tools/list']
  const stdio = await run(inspector, ['--cli', process.execPath, MAIN, ...list])
  expect(stdio.stdout).toContain('"find_tools"')
  const http = await run(inspector, ['--cli', remote, `${url}/mcp`, ...list])
  expect(http.stdout).toContain('"find_tools"')
})

it('has its hooks for traces run by Claude Code itself', async () => {
  const claude = await installClient('@anthropic-ai/claude-code@2.1.327', 'claude')
  const model = await startScriptedModel({ tool: 'Bash', args: { command: 'exit 3' } })
  const folder = tempFolder()
  folder.write('.claude.json', '{"hasCompletedOnboarding": true}')
  const settings = '{\n    "model": "opus"\n}'
  folder.write('.claude/settings.json', settings)
  const { run, portolan } = aHome(folder, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  })
  await portolan('connect', 'claude-code', '--hooks')
  const flags = ['--verbose', '--output-format', 'stream-json', '--include-hook-events']
  const { stdout } = await run(claude, ['-p', PROMPT, '--allowedTools', 'Bash', ...flags])
  const hooks = stdout.split('\n').filter((line) => line.includes('"hook_response"'))
  expect(hooks.join('\n')).toContain('"SessionStart"')
  for (const line of hooks) expect(JSON.parse(line)).toMatchObject({ outcome: 'success' })
  await portolan('connect', 'claude-code', '--undo')
  expect(folder.read('.claude/settings.json')).toBe(settings)
})
