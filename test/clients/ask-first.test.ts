import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { MAIN } from '../support/gateway.ts'
import { installClient } from '../support/install-client.ts'
import { CLIENTS, PROMPT } from '../support/real-clients.ts'
import { runProgram } from '../support/run-program.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RULES = {
  agents: { default: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } } },
  defaults: { deny_on_missing_agent: false },
}
const CALL = {
  tool: 'execute_tool',
  args: { server: 'one', tool: 'echo', args: { text: 'ahoy from the script' } },
}

/** A home whose one server needs an approval for `echo`, and whose calls wait for a moment. */
function aHome() {
  const folder = tempFolder()
  folder.write('data/mcp.json', { mcpServers: { one: stdioUpstream() } })
  folder.write('data/rules.json', RULES)
  folder.write('data/portolan.yaml', { approvals: { waitMs: 1_000 } })
  folder.write('project/README.md', '# A project\n')
  const env = {
    PATH: process.env['PATH'],
    HOME: folder.path,
    PORTOLAN_HOME: folder.file('data'),
    PORTOLAN_ALONE: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const run = async (program: string, args: readonly string[], more = {}) =>
    runProgram(program, args, { cwd: folder.file('project'), env: { ...env, ...more } })
  const portolan = async (...args: string[]) => run(process.execPath, [MAIN, ...args])
  return { folder, env, run, portolan }
}

/** The programs of a person at a terminal: what they see, and the keys that they press. */
class Terminal {
  readonly #child: ChildProcess
  #seen = ''

  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    const line = `stty rows 50 cols 140; exec ${command}`
    this.#child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#seen += text))
    onTestFinished(async () => this.end())
  }

  /** What is on the screen, without colours and without the spaces that the cursor jumps over. */
  get seen(): string {
    // oxlint-disable-next-line no-control-regex -- What a terminal reads as commands.
    return this.#seen.replaceAll(/\u001B\[[\d;?]*[ -/]*[@-~]|\u001B./g, '').replaceAll(/\s+/g, '')
  }

  async until(text: string): Promise<void> {
    const isThere = () => {
      if (!this.seen.includes(text.replaceAll(' ', '')))
        throw new Error(`'${text}' is not on the screen: ${this.seen.slice(-2_000)}`)
    }
    await vi.waitFor(isThere, { timeout: 60_000, interval: 100 })
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#child.stdin?.write(key)
      // oxlint-disable-next-line no-await-in-loop -- As a person presses them.
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
  }

  private async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.stdin?.end()
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

const DOWN = '\u001B[B'
const ENTER = '\r'

it.each([
  ['approves', [DOWN, DOWN, ENTER], 'ahoy from the script'],
  ['declines', [DOWN, DOWN, DOWN, ENTER], 'denied this call'],
])('a person at Claude Code sees the arguments of a call and %s it', async (_, keys, said) => {
  const claude = await installClient('@anthropic-ai/claude-code@2.1.327', 'claude')
  const model = await startScriptedModel(CALL)
  const { folder, env, portolan } = aHome()
  folder.write('.claude.json', {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['sk-scripted'], rejected: [] },
    projects: {
      [folder.file('project')]: {
        hasTrustDialogAccepted: true,
        hasCompletedProjectOnboarding: true,
      },
    },
  })
  await portolan('connect', 'claude-code')
  const flags = '--permission-mode default --allowedTools mcp__portolan__execute_tool'
  const terminal = new Terminal(`${claude} ${flags}`, folder.file('project'), {
    ...env,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-scripted',
  })
  await terminal.until('? for shortcuts')
  // Its servers have started then.
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  await terminal.press(PROMPT, ENTER)
  await terminal.until('wants to call one.echo')
  await terminal.until('Arguments: {"text":"ahoy from the script"}')
  await terminal.press(...keys)
  await terminal.until('The tool has answered.')
  expect(model.results.join('\n')).toContain(said)
  const audit = folder.read('data/audit.jsonl')
  expect(audit).toContain('"approvals.answered"')
  expect(audit).toContain(String.raw`\"via\":\"client\"`)
})

/** Without a person at them they cannot ask, or refuse each question at once. */
const WITHOUT_PERSON = CLIENTS.filter(({ id }) => ['claude-code', 'codex', 'gemini'].includes(id))

it.each(WITHOUT_PERSON)(
  'a call of $id waits for `portolan approvals approve`, and the same call is made then',
  async ({ id, pinned, program, file, content, turn, env }) => {
    const client = await installClient(pinned, program)
    const { folder, run, portolan } = aHome()
    const callOnce = async (): Promise<ScriptedModel> => {
      const model = await startScriptedModel(CALL)
      folder.write(file, content(model.url))
      await portolan('connect', id)
      await run(client, turn, env?.(model.url))
      return model
    }
    expect((await callOnce()).results.join('\n')).toContain('APPROVAL_PENDING')
    const waiting = JSON.parse((await portolan('approvals', 'list', '--json')).stdout)
    expect(waiting).toMatchObject([{ tool: 'echo', arguments: '{"text":"ahoy from the script"}' }])
    expect((await portolan('approvals', 'approve', waiting[0].id)).code).toBe(0)
    const after = (await callOnce()).results.join('\n')
    expect(after).not.toContain('APPROVAL_PENDING')
    expect(after).toContain('ahoy from the script')
  },
)

it('the Inspector is told what waits, and its call is made after the approval', async () => {
  const inspector = await installClient('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
  const { env, run, portolan } = aHome()
  const args = ['server=one', 'tool=echo', 'args={"text":"ahoy"}']
  const words = ['--method', 'tools/call', '--tool-name', 'execute_tool']
  // It gives servers none of its own variables.
  const given = ['-e', `PORTOLAN_HOME=${env.PORTOLAN_HOME}`, '-e', 'PORTOLAN_ALONE=1']
  const all = ['--cli', process.execPath, MAIN, ...given, ...words, '--tool-arg', ...args]
  const call = async () => {
    const { stdout, stderr } = await run(inspector, all)
    return stdout + stderr
  }
  expect(await call()).toContain('APPROVAL_PENDING')
  const [{ id }] = JSON.parse((await portolan('approvals', 'list', '--json')).stdout)
  await portolan('approvals', 'approve', id)
  expect(await call()).toContain('ahoy')
})
