import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { packageFile } from '../../src/base/files/package-files.ts'
import { runBuilt } from '../support/run-built.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

// A dozen real servers start.
vi.setConfig({ testTimeout: 180_000 })

const context = z.object({
  servers: z.number(),
  tools: z.number(),
  tokens: z.number(),
  unknown: z.array(z.string()),
})
const adopted = z.object({
  written: z.boolean(),
  servers: z.array(z.object({ name: z.string() })),
  clients: z.array(z.object({ client: z.string(), before: context, after: context })),
})

/** The command of an npm server that is installed here. */
function server(name: string, ...args: string[]) {
  const scope = 'node_modules/@modelcontextprotocol'
  return { command: process.execPath, args: [packageFile(scope, name, 'dist/index.js'), ...args] }
}

function aHome(): TempFolder {
  const folder = tempFolder()
  const github = { ...server('server-github'), env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_none' } }
  folder.write('.claude.json', {
    numStartups: 12,
    mcpServers: {
      github,
      memory: server('server-memory'),
      files: server('server-filesystem', '.'),
    },
  })
  folder.write('.cursor/mcp.json', {
    mcpServers: { github, thinking: server('server-sequential-thinking') },
  })
  folder.write('.gemini/settings.json', {
    mcpServers: { files: { ...server('server-filesystem', '.'), excludeTools: ['write_file'] } },
  })
  const { command, args } = server('server-everything')
  folder.write(
    '.codex/config.toml',
    `# mine\n[mcp_servers.everything]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
  )
  return folder
}

const CLIENT_FILES = [
  '.claude.json',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.codex/config.toml',
]

it('takes four clients from 106 tools in all to 6 each, and back byte for byte', async () => {
  const folder = aHome()
  const before = CLIENT_FILES.map((file) => folder.read(file))
  const { stdout, stderr } = await runBuilt(folder, [
    'adopt',
    '--yes',
    '--json',
    '--timeout',
    '90s',
  ])
  expect(stderr).toBe('')
  const report = adopted.parse(JSON.parse(stdout))
  const tools = Object.fromEntries(
    report.clients.map((each) => [each.client, [each.before.tools, each.after.tools]]),
  )
  expect(report.clients.flatMap((each) => [...each.before.unknown, ...each.after.unknown])).toEqual(
    [],
  )
  expect(tools).toEqual({
    'claude-code': [49, 6],
    cursor: [27, 6],
    gemini: [13, 6],
    codex: [17, 6],
  })
  for (const each of report.clients) {
    // Claude Code defers tools, so models see only their names.
    expect(each.before.tokens).toBeGreaterThan(each.client === 'claude-code' ? 100 : 1000)
    expect(each.after.tokens).toBeLessThan(1000)
  }
  // The two that use the same files server differ in a tool that one had switched off.
  expect(report.servers.map(({ name }) => name)).toEqual([
    'github',
    'memory',
    'files',
    'thinking',
    'files-gemini',
    'everything',
  ])
  const doctor = await runBuilt(folder, ['doctor', '--json', '--timeout', '90s'])
  expect(doctor.stdout).not.toContain('also reaches')

  // Behind Portolan the tool is still off for the one, and on for the other.
  const call = async (name: string) =>
    runBuilt(folder, ['call', 'get_server_tools', `server=${name}`, '--json'])
  expect((await call('files')).stdout).toContain('write_file')
  expect((await call('files-gemini')).stdout).not.toContain('write_file')

  const undone = await runBuilt(folder, ['adopt', '--undo'])
  expect(undone.code).toBe(0)
  expect(CLIENT_FILES.map((file) => folder.read(file))).toEqual(before)
})

it('doctor says which servers a connected client reaches twice', async () => {
  const folder = tempFolder()
  const memory = server('server-memory')
  folder.write('.cursor/mcp.json', { mcpServers: { memory } })
  await runBuilt(folder, ['adopt', '--yes', '--no-count'])
  folder.write('.cursor/mcp.json', {
    mcpServers: { ...JSON.parse(folder.read('.cursor/mcp.json')).mcpServers, mine: memory },
  })
  const { stdout } = await runBuilt(folder, ['doctor', '--timeout', '60s'])
  expect(stdout).toContain('Cursor uses Portolan, and also reaches mine directly')
  expect(stdout).toContain('→ portolan adopt --client cursor')
  await runBuilt(folder, ['adopt', '--client', 'cursor', '--yes', '--no-count'])
  expect((await runBuilt(folder, ['doctor', '--timeout', '60s'])).stdout).toContain(
    '✓ clients   Cursor uses Portolan\n',
  )
})
