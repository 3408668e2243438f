import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN } from '../../test/support/gateway.ts'
import { runCli } from '../../test/support/run-cli.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'

/** Makes the process believe that its stdin is a terminal. */
const TERMINAL = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process.stdin, 'isTTY', { value: true })`,
  )}`,
}

interface Run {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether somebody reads what it prints. */
  readonly isRead: boolean
}

/** Like `runCli`, with an input that ends at once and an output that may be closed. */
async function run({ args, env, isRead }: Run) {
  const folder = tempFolder()
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      PORTOLAN_HOME: folder.file('data'),
      ...env,
    },
  })
  child.stdin.end()
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => (said.stdout += String(data)))
  child.stderr.on('data', (data) => (said.stderr += String(data)))
  if (!isRead) child.stdout.destroy()
  const [code]: unknown[] = await once(child, 'close')
  return { code, ...said }
}

it('says what it is on a terminal, where no MCP client speaks to it', async () => {
  const { code, stdout, stderr } = await run({ args: [], env: TERMINAL, isRead: true })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const words of ['portolan init', 'portolan serve', 'portolan --help', 'MCP', 'stdin'])
    expect(stdout).toContain(words)
})

it('says nothing on a pipe, where an MCP client does', async () => {
  expect(await run({ args: [], isRead: true })).toMatchObject({ code: 0, stdout: '' })
})

it('serves HTTP on a terminal too, where the settings say so', async () => {
  const { stdout, stderr } = await run({
    args: [],
    env: { ...TERMINAL, GATEWAY_TRANSPORT: 'http', GATEWAY_PORT: String(await takenPort()) },
    isRead: true,
  })
  expect(stdout).toBe('')
  expect(stderr).toContain('is in use')
})

it.each([{ args: ['connect'] }, { args: ['--help'] }, { args: ['check', '--json'] }])(
  'ends quietly when nobody reads the output of $args',
  async ({ args }) => {
    expect(await run({ args, isRead: false })).toMatchObject({ code: 0, stderr: '' })
    expect((await run({ args, isRead: true })).stdout).not.toBe('')
  },
)

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port')
  return address.port
}

it.each([
  { command: ['serve'], introduction: /^/ },
  {
    command: ['knowledge', 'mcp', '--transport', 'http'],
    introduction: /^portolan knowledge: keeps documents in .*\n/,
  },
])('says in one line that the port of $command is in use', async ({ command, introduction }) => {
  const port = await takenPort()
  const { code, stderr } = await runCli(tempFolder(), [...command, '--port', String(port)])
  expect(code).toBe(1)
  expect(stderr).toMatch(introduction)
  expect(stderr.replace(introduction, '')).toBe(
    `ERROR: Port ${port} is in use on 127.0.0.1. Stop the program that uses it, or choose another port with --port (0 takes any free one).\n`,
  )
})

it.each([
  {
    tool: 'code__serch_code',
    line: "ERROR: Unknown tool: 'code__serch_code'. Did you mean 'code__search_code'?",
  },
  {
    tool: 'nothing-like-it',
    line: "ERROR: Unknown tool: 'nothing-like-it'. Call tools/list to see what there is.",
  },
])('says in one line that $tool is unknown, and what to do', async ({ tool, line }) => {
  expect(await runCli(tempFolder(), ['call', tool, 'query=any'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${line}\n`,
  })
})

it.each([[['init', '--yes']], [['call', 'list_servers']]])(
  'says without a stack that a data folder cannot be one: %j',
  async (words) => {
    const folder = tempFolder()
    const env = { PORTOLAN_HOME: folder.write('data', 'a file') }
    const { code, stderr } = await runCli(folder, words, env)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^ERROR: E[A-Z]+: .*\/data.* Check the path, and who may read and write there\.$/m,
    )
    expect(stderr).not.toMatch(/^ +at /m)
  },
)

it.each([
  [['call'], "ERROR: missing required argument 'tool'\nAdd --help to see what it takes.\n"],
  [['rules', 'test'], "ERROR: unknown command 'test'\nAdd --help to see what it takes.\n"],
  [['explain', 'ada'], 'ERROR: Name a server, or ask for --scripts instead\n'],
  [['keys', 'revoke', 'x'], 'ERROR: No key has the id "x". `portolan keys list` shows them.\n'],
  [['call', 'a', 'b'], expect.stringMatching(/^ERROR: "b" is not name=value\. Pass .*JSON object/)],
  [['backup', '/not/there'], 'ERROR: /not does not exist. Check the path.\n'],
  [['traces', 'search'], expect.stringContaining('portolan traces search --help')],
])('says in %j what is wrong and what to do next, on stderr only', async (args, stderr) => {
  expect(await run({ args, isRead: true })).toEqual({ code: 1, stdout: '', stderr })
})
