import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { installClient } from '../support/install-client.ts'
import { runProgram } from '../support/run-program.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { agreeAt, fakeBrowser } from '../support/sign-in/fake-browser.ts'
import { type SignInGateway, startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CALL = { server: 'files', tool: 'echo', args: { text: 'ahoy' } }

/** A home of its own, and a person who agrees to whatever a program opens in the browser. */
async function atHome(gateway: SignInGateway) {
  const home = tempFolder()
  home.write('project/README.md', '# A project\n')
  const browser = fakeBrowser()
  const run = async (program: string, args: readonly string[], env: Record<string, string> = {}) =>
    runProgram(program, args, {
      cwd: home.file('project'),
      env: { HOME: home.path, ...browser.env, ...env },
    })
  /** Runs a program that opens a browser on its way. */
  const signIn: typeof run = async (...how) => {
    const seen = browser.opened().length
    const ended = run(...how)
    const asked = expect.poll(() => browser.opened().length, { timeout: 120_000 })
    await Promise.race([asked.toBeGreaterThan(seen), ended])
    const address = browser.opened().at(-1)
    if (address !== undefined) await agreeAt(address, gateway.url, gateway.key)
    return ended
  }
  return { home, run, signIn, opened: browser.opened }
}

it('Claude Code goes from the bare address to its first call', async () => {
  const claude = await installClient('@anthropic-ai/claude-code@2.1.325', 'claude')
  const gateway = await startWithSignIn()
  const model = await startScriptedModel({ tool: 'execute_tool', args: CALL })
  const { home, run, signIn, opened } = await atHome(gateway)
  home.write('.claude.json', { hasCompletedOnboarding: true })
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Otherwise its own tool search keeps every MCP tool out of the first request.
    ENABLE_TOOL_SEARCH: 'false',
    MCP_CONNECTION_NONBLOCKING: '0',
  }
  const address = ['--transport', 'http', 'team', `${gateway.url}/mcp`]
  const added = await run(claude, ['mcp', 'add', ...address], env)
  expect(added.code, added.stderr).toBe(0)
  // It signs in only where a person sits, at a terminal.
  const login = await signIn('script', ['-qec', `${claude} mcp login team`, '/dev/null'], env)
  expect(login.code, login.stdout + login.stderr).toBe(0)
  const turn = ['-p', 'Say ahoy.', '--allowedTools', 'mcp__team__execute_tool']
  const ended = await run(claude, turn, env)
  expect(model.results.join('\n'), ended.stdout + ended.stderr).toContain('ahoy')
  expect(opened()).toHaveLength(1)
})

it.each(['legacy', 'modern'])(
  'the Inspector goes from the bare address to its first call, %s',
  async (era) => {
    const inspector = await installClient('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
    const gateway = await startWithSignIn()
    const { run, signIn, opened } = await atHome(gateway)
    const call = [
      '--cli',
      `${gateway.url}/mcp`,
      ...['--transport', 'http', '--protocol-era', era],
      ...['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`],
      ...['--method', 'tools/call', '--tool-name', 'execute_tool'],
      ...['--tool-args-json', JSON.stringify(CALL)],
    ]
    const first = await signIn(inspector, call)
    expect(first.stdout, first.stderr).toContain('ahoy')
    // It keeps its tokens, so that nobody is asked again.
    const second = await run(inspector, call)
    expect(second.stdout, second.stderr).toContain('ahoy')
    expect(opened()).toHaveLength(1)
  },
)
