import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { installClient } from '../support/install-client.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { agreeAt, fakeBrowser } from '../support/sign-in/fake-browser.ts'
import { startDocumentServer } from '../support/sign-in/metadata-document.ts'
import { type SignInGateway, startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CALL = { server: 'files', tool: 'echo', args: { text: 'ahoy' } }
const POLL = { timeout: 120_000 }

/** A home of its own, and a person who agrees to whatever a program opens in the browser, or prints. */
function atHome({ url, key }: SignInGateway) {
  const home = tempFolder()
  home.write('project/README.md', '# A project\n')
  const browser = fakeBrowser()
  let visits = 0

  async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(program, args, {
      cwd: home.file('project'),
      env: { HOME: home.path, ...browser.env, ...env },
      // One that never ends: a terminal would say at its end that the person has gone.
      stdio: 'pipe',
    })
    onTestFinished(() => void child.kill())
    let said = ''
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += String(chunk)
      said += String(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk)
    })
    const ended = once(child, 'exit').then(([code]: unknown[]) => ({ code, stdout, said }))
    const before = browser.opened().length
    const address = () =>
      browser.opened()[before] ?? /navigate to: (\S+\/oauth\/authorize\?\S+)/.exec(said)?.[1]
    let isOver = false
    void ended.then(() => {
      isOver = true
      return undefined
    })
    await expect.poll(() => isOver || address() !== undefined, POLL).toBe(true)
    const found = address()
    if (!isOver && found !== undefined) {
      visits += 1
      await agreeAt(found, url, key)
    }
    return ended
  }
  return { home, run, visits: () => visits }
}

it('Claude Code goes from the bare address to its first call', async () => {
  const claude = await installClient('@anthropic-ai/claude-code@2.1.327', 'claude')
  // It is known by a document at claude.ai, which has this content and is asked for here instead.
  const site = await startDocumentServer(tempFolder())
  const id = 'https://claude.ai/oauth/claude-code-client-metadata'
  site.documents.set(new URL(id).pathname, {
    client_id: id,
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  const preload = fileURLToPath(new URL('../support/sign-in/reach-elsewhere.mjs', import.meta.url))
  const gateway = await startWithSignIn(
    {},
    {
      env: {
        NODE_OPTIONS: `--import=${preload}`,
        NODE_EXTRA_CA_CERTS: site.certificate,
        REACH_ELSEWHERE: JSON.stringify({ 'claude.ai': site.address('') }),
      },
    },
  )
  const model = await startScriptedModel({ tool: 'execute_tool', args: CALL })
  const { home, run, visits } = atHome(gateway)
  home.write('.claude.json', { hasCompletedOnboarding: true })
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const added = await run(
    claude,
    ['mcp', 'add', '--transport', 'http', 'team', `${gateway.url}/mcp`],
    env,
  )
  expect(added).toMatchObject({ code: 0 })
  // It signs in only where a person sits, at a terminal.
  const login = await run('script', ['-qec', `${claude} mcp login team`, '/dev/null'], env)
  expect(login).toMatchObject({ code: 0 })
  expect(site.asked).toBeGreaterThan(0)
  const turn = ['-p', 'Say ahoy.', '--allowedTools', 'mcp__team__execute_tool']
  await run(claude, turn, env)
  expect(model.results.join('\n')).toContain('ahoy')
  expect(visits()).toBe(1)
})

it.each(['legacy', 'modern'])(
  'the Inspector goes from the bare address to its first call, %s',
  async (era) => {
    const inspector = await installClient('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
    const gateway = await startWithSignIn()
    const { run, visits } = atHome(gateway)
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
    const how = `--transport http --protocol-era ${era} --callback-url ${callback}`
    const what = '--method tools/call --tool-name execute_tool --tool-args-json'
    const options = `${how} ${what}`.split(' ')
    const call = ['--cli', `${gateway.url}/mcp`, ...options, JSON.stringify(CALL)]
    const env = { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' }
    const first = await run(inspector, call, env)
    expect(first).toMatchObject({ stdout: expect.stringContaining('ahoy') })
    // It keeps its tokens, so that nobody is asked again.
    const second = await run(inspector, call, env)
    expect(second).toMatchObject({ stdout: expect.stringContaining('ahoy') })
    expect(visits()).toBe(1)
  },
)
