import { expect, it, onTestFinished } from 'vitest'
import { call, textOf } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const IN_FORCE_MS = 500

const FILES = {
  mcp: { user: 'mcp.json', folder: '.mcp.json' },
  rules: { user: 'rules.json', folder: '.mcp-gateway-rules.json' },
  settings: { user: 'portolan.yaml', folder: 'portolan.yaml' },
} as const

const OPEN = { deny_on_missing_agent: false }
const CONTENT = {
  mcp: [
    { mcpServers: { one: stdioUpstream() } },
    { mcpServers: { one: { ...stdioUpstream(), enabled: false } } },
  ],
  rules: [
    { agents: { default: { allow: { servers: ['*'] } } }, defaults: OPEN },
    {
      agents: { default: { allow: { servers: ['*'] }, deny: { tools: { one: ['echo'] } } } },
      defaults: OPEN,
    },
  ],
  settings: [{ builtins: { knowledge: true } }, { builtins: { knowledge: false } }],
} as const

/** A gateway that runs in a folder whose files and the person's own allow everything. */
async function aGateway(level: string) {
  const [home, repo] = [tempFolder(), tempFolder()]
  const env = { PATH: process.env['PATH'], HOME: home.path, PORTOLAN_ALONE: '1' }
  const portolan = async (...args: string[]) =>
    runProgram(process.execPath, [MAIN, ...args], { cwd: repo.path, env })
  const place = level === 'user' ? 'user' : 'folder'
  const write = (kind: keyof typeof FILES, at: 0 | 1) => {
    const name = FILES[kind][place]
    if (place === 'user') home.write(`.portolan/${name}`, CONTENT[kind][at])
    else repo.write(name, CONTENT[kind][at])
  }
  for (const kind of ['mcp', 'rules', 'settings'] as const) write(kind, 0)
  if (level === 'trusted folder') await portolan('trust')
  if (level === 'own folder') await portolan('trust', '--folder', '.')
  const client = await openStdio('legacy', {
    command: process.execPath,
    args: [MAIN],
    cwd: repo.path,
    env,
  })
  onTestFinished(async () => client.close().catch(() => undefined))
  const isDenied = {
    mcp: async () => !(await say()).includes('hi'),
    rules: async () => (await say()).includes('not authorized'),
    settings: async () => !textOf(await call(client, 'list_servers')).includes('"knowledge"'),
  }
  const say = async () =>
    textOf(
      await call(client, 'execute_tool', { server: 'one', tool: 'echo', args: { text: 'hi' } }),
    )
  return { home, repo, write, isDenied, portolan }
}

it.each(
  (['user', 'trusted folder', 'own folder'] as const).flatMap((level) =>
    (['mcp', 'rules', 'settings'] as const).map((kind) => [kind, level] as const),
  ),
)('a denial saved in the %s file of a %s is in force within 500 ms', async (kind, level) => {
  const { write, isDenied } = await aGateway(level)
  const deniedAfterMs = async () => {
    await expect.poll(isDenied[kind], { timeout: 20_000 }).toBe(false)
    write(kind, 1)
    const savedAt = performance.now()
    while (!(await isDenied[kind]())) {
      if (performance.now() - savedAt > 10_000) throw new Error('it never was in force')
    }
    write(kind, 0)
    return performance.now() - savedAt
  }
  // The machine may be busy with other tests: one of a few tries shows what the gateway needs.
  const tries = [await deniedAfterMs()]
  while (Math.min(...tries) > IN_FORCE_MS && tries.length < 5) tries.push(await deniedAfterMs())
  expect(Math.min(...tries)).toBeLessThan(IN_FORCE_MS)
})

it('in an own folder, what is saved applies with its diff in the audit and the history', async () => {
  const { home, repo, write, isDenied, portolan } = await aGateway('own folder')
  write('rules', 1)
  await expect.poll(isDenied.rules).toBe(true)
  write('rules', 0)
  await expect.poll(isDenied.rules).toBe(false)
  const saved = () =>
    home
      .read('.portolan/audit.jsonl')
      .split('\n')
      .filter((line) => line.includes('config.save'))
      .map((line) => JSON.parse(line))
      .map(({ agent_id: by, metadata }) => ({ by, ...JSON.parse(metadata.arguments) }))
  // Rules that were trusted before need no decision: the second save brings them back.
  await expect.poll(saved).toEqual([
    {
      by: 'editor',
      file: repo.file('.mcp-gateway-rules.json'),
      diff: expect.stringMatching(/^\+.*"echo"/m),
    },
  ])
  const history = (await portolan('history')).stdout
  expect(history).toContain('changed by hand')
  expect(history).toContain('saved in a folder that is trusted')
  expect((await portolan('check')).stderr).not.toContain('trust')
  expect((await portolan('trust', '--list')).stdout).toContain(`yours    ${repo.path}`)
  await portolan('trust', '--revoke')
  expect((await portolan('check')).stderr).toContain('is not trusted')
})
