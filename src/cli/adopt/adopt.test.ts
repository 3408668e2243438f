import { existsSync, rmSync, statSync } from 'node:fs'
import { loadConfig } from '../../config/load.ts'
import { parse as parseToml } from 'smol-toml'
import { expect, it } from 'vitest'
import { storedSecrets } from '../../../test/support/stored-secrets.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import { CLIENTS } from '../clients/clients.ts'
import type { Machine } from '../clients/machine.ts'
import { type AdoptOptions, runAdopt } from './run-adopt.ts'
import { journalOf } from '../connect/connect-client.ts'
import { undoAdopt } from '../connect/undo.ts'

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

function aMachine(folder: TempFolder, env: Record<string, string> = {}): Machine {
  return {
    platform: 'linux',
    home: folder.path,
    cwd: folder.file('project'),
    env: { HOME: folder.path, PORTOLAN_HOME: folder.file('data'), ...env },
  }
}

async function adopt(machine: Machine, rest: Partial<AdoptOptions> = {}) {
  return runAdopt({
    machine,
    clients: CLIENTS,
    named: false,
    count: false,
    timeoutMs: 10_000,
    dryRun: false,
    ...rest,
  })
}

/** Two clients with comments, a shared server, a secret, and something for another program in the file. */
const FILES = {
  '.claude.json':
    '{\n  "numStartups": 3,\n  "mcpServers": {\n    "gh": {"type": "stdio", "command": "gh-mcp", "args": [], "env": {"GITHUB_TOKEN": "' +
    TOKEN +
    '"}},\n    "docs": {"type": "http", "url": "https://d.example/mcp"}\n  },\n  "projects": {"/other": {"mcpServers": {"far": {"command": "f"}}}}\n}',
  '.config/Code/User/mcp.json':
    '{\n  // mine\n  "servers": {\n    // the documentation\n    "docs": { "type": "http", "url": "https://d.example/mcp" },\n    "db": { "command": "db-mcp" }, // local\n  },\n  "inputs": [],\n}\n',
  '.codex/config.toml':
    '# mine\nmodel = "o"\n\n[mcp_servers.db]\ncommand = "other-db" # not the one of VS Code\n\n[mcp_servers.db.env]\nA = "1"\n\n[tui]\nnotifications = true\n',
  '.config/goose/config.yaml':
    'GOOSE_MODE: auto # keep\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n    name: developer\n  notes:\n    enabled: true\n    type: stdio\n    name: notes\n    cmd: notes-mcp\n    args: []\n    envs: {}\n    timeout: 300\n',
}

function aHome() {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(FILES)) folder.write(name, text)
  folder.write('project/.keep', '')
  return folder
}

const userServers = (folder: TempFolder) => JSON.parse(folder.read('data/mcp.json')).mcpServers

it('moves the servers of every client into one file of the user, and connects the clients', async () => {
  const folder = aHome()
  const report = await adopt(aMachine(folder))
  expect(report.plan.problems).toEqual([])
  expect(userServers(folder)).toEqual({
    gh: { command: 'gh-mcp', env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } },
    docs: { url: 'https://d.example/mcp' },
    db: { command: 'db-mcp' },
    'db-codex': { command: 'other-db', env: { A: '1' } },
    notes: { command: 'notes-mcp', timeout_ms: 300_000 },
  })
  expect(folder.read('data/mcp.json')).not.toContain(TOKEN)
  expect(statSync(folder.file('data/mcp.json')).mode & 0o777).toBe(0o600)
  expect(storedSecrets(folder)).toContain(TOKEN)

  const claude = JSON.parse(folder.read('.claude.json'))
  expect(Object.keys(claude.mcpServers)).toEqual(['portolan'])
  expect(claude.numStartups).toBe(3)
  // Those of another project are not moved, and named.
  expect(claude.projects).toEqual({ '/other': { mcpServers: { far: { command: 'f' } } } })
  expect(report.plan.kept.map(({ found, reason }) => [found.name, reason])).toEqual([
    ['far', 'it belongs to another project, /other'],
    ['developer', 'it is part of Goose'],
  ])
  const vscode = folder.read('.config/Code/User/mcp.json')
  expect(vscode).toContain('// mine')
  expect(vscode).not.toContain('db-mcp')
  expect(vscode).toContain('"portolan"')
  const codex = parseToml(folder.read('.codex/config.toml'))
  expect(Object.keys(codex['mcp_servers'] ?? {})).toEqual(['portolan'])
  expect(folder.read('.codex/config.toml')).toContain('# mine\n')
  const goose = folder.read('.config/goose/config.yaml')
  expect(goose).toContain('GOOSE_MODE: auto # keep\nextensions:\n')
  expect(goose).toContain('  developer:\n    enabled: true\n')
  expect(goose).not.toContain('notes-mcp')
  expect(goose).toContain('  portolan:\n')
})

it('keeps the secret of a server that is already there, whose variable nobody has set', async () => {
  const folder = aHome()
  folder.write('data/mcp.json', {
    mcpServers: { gh: { command: 'gh-mcp', env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } } },
  })
  const { variables } = await adopt(aMachine(folder))
  expect(folder.read('.claude.json')).not.toContain(TOKEN)
  expect(variables).toEqual(['GITHUB_TOKEN'])
  expect(storedSecrets(folder)).toContain(TOKEN)
})

it('serves the built-in servers beside those that it moves, and leaves what a person has decided', async () => {
  const folder = aHome()
  folder.write('data/portolan.yaml', '# mine\nbuiltins:\n  traces: false\n')
  const machine = aMachine(folder)
  await adopt(machine)
  const { servers } = loadConfig(machine)
  expect([...servers.keys()]).toEqual(expect.arrayContaining(['gh', 'code', 'knowledge']))
  expect(servers.has('traces')).toBe(false)
  expect(folder.read('data/portolan.yaml')).toContain('# mine\n')
  await undoAdopt(machine)
  expect(folder.read('data/portolan.yaml')).toBe('# mine\nbuiltins:\n  traces: false\n')
})

it('changes nothing the second time', async () => {
  const folder = aHome()
  await adopt(aMachine(folder))
  const once = Object.keys(FILES).map((name) => folder.read(name))
  const again = await adopt(aMachine(folder))
  expect({ clients: again.clients, written: again.written }).toEqual({
    clients: [],
    written: false,
  })
  expect(Object.keys(FILES).map((name) => folder.read(name))).toEqual(once)
})

it('puts every file back byte for byte, and removes its own', async () => {
  const folder = aHome()
  await adopt(aMachine(folder))
  for (const [name, text] of Object.entries(FILES)) expect(folder.read(name)).not.toBe(text)
  const undone = await undoAdopt(aMachine(folder))
  expect(new Set(undone.map(({ outcome }) => outcome))).toEqual(new Set(['restored', 'removed']))
  for (const [name, text] of Object.entries(FILES)) expect(folder.read(name)).toBe(text)
  expect(existsSync(folder.file('data/mcp.json'))).toBe(false)
  expect(existsSync(folder.file('data/secrets.sealed'))).toBe(false)
  expect(existsSync(folder.file('data/portolan.yaml'))).toBe(false)
  expect(await undoAdopt(aMachine(folder))).toEqual([])
})

it('undoes only its own part of a file that was edited since, and keeps the original beside it', async () => {
  const folder = aHome()
  await adopt(aMachine(folder))
  // Claude Code writes this file at every start.
  const written = folder.read('.claude.json').replace('"numStartups": 3', '"numStartups": 4')
  folder.write('.claude.json', written)
  const undone = await undoAdopt(aMachine(folder))
  const claude = undone.find(({ file }) => file === folder.file('.claude.json'))
  expect(claude).toMatchObject({ outcome: 'edited', hasOriginal: true })
  const original = journalOf(aMachine(folder)).original(folder.file('.claude.json'))
  expect(original?.toString()).toBe(FILES['.claude.json'])
  expect(JSON.parse(folder.read('.claude.json'))).toEqual({
    ...JSON.parse(FILES['.claude.json']),
    numStartups: 4,
  })
  // The others are whole.
  expect(folder.read('.codex/config.toml')).toBe(FILES['.codex/config.toml'])
})

it('takes its keys out of the stored secrets again when those were changed since, and no other', async () => {
  const folder = aHome()
  folder.write('data/secrets.env', 'BEFORE=1')
  await adopt(aMachine(folder))
  expect(storedSecrets(folder)).toBe(`BEFORE=1\nGITHUB_TOKEN="${TOKEN}"\n`)
  folder.write('data/secrets.env', '# mine\nAFTER=2\n')
  const undone = await undoAdopt(aMachine(folder))
  const file = folder.file('data/secrets.env')
  expect(undone.find((one) => one.file === file)?.outcome).toBe('edited')
  expect(storedSecrets(folder)).toBe('BEFORE=1\n# mine\nAFTER=2\n')

  // A key that somebody has replaced is theirs.
  await adopt(aMachine(folder))
  folder.write('data/secrets.env', 'GITHUB_TOKEN=of-mine\n')
  await undoAdopt(aMachine(folder))
  expect(storedSecrets(folder)).toBe('BEFORE=1\n# mine\nAFTER=2\nGITHUB_TOKEN=of-mine\n')
})

it('goes on where one file cannot be written, says so, and undoes the rest', async () => {
  const folder = aHome()
  folder.write('.codex/config.toml', 'mcp_servers = { a = { command = "a" } }\n')
  const report = await adopt(aMachine(folder))
  const byId = Object.fromEntries(report.clients.map(({ client, error }) => [client.id, error]))
  expect(byId['codex']).toMatch(/written in a way we cannot edit/)
  expect(byId['claude-code']).toBeUndefined()
  expect(folder.read('.codex/config.toml')).toBe('mcp_servers = { a = { command = "a" } }\n')
  await undoAdopt(aMachine(folder))
  const others = Object.entries(FILES).filter(([name]) => name !== '.codex/config.toml')
  for (const [name, text] of others) expect(folder.read(name)).toBe(text)
})

it('undoes what was written before it was interrupted', async () => {
  const folder = aHome()
  await adopt(aMachine(folder))
  // What is noted before a file is written, and not written any more.
  folder.write('.codex/config.toml', FILES['.codex/config.toml'])
  rmSync(folder.file('data/mcp.json'))
  const undone = await undoAdopt(aMachine(folder))
  expect(undone.map(({ outcome }) => outcome)).not.toContain('edited')
  for (const [name, text] of Object.entries(FILES)) expect(folder.read(name)).toBe(text)
})

it('leaves the files of a team alone, and tells Claude Code to leave .mcp.json to Portolan', async () => {
  const folder = tempFolder()
  const team = '{"mcpServers": {"shared": {"command": "s"}}}'
  folder.write('project/.mcp.json', team)
  folder.write('project/.cursor/mcp.json', '{"mcpServers": {"ours": {"command": "o"}}}')
  const settings = '{\n  "permissions": {"allow": []},\n  "disabledMcpjsonServers": ["x"]\n}\n'
  folder.write('project/.claude/settings.local.json', settings)
  // A file that merely lies there is not used by Portolan: then the client keeps its servers.
  const untrusted = await adopt(aMachine(folder))
  expect(untrusted.clients).toEqual([])
  expect(untrusted.plan.kept.map(({ reason }) => reason).join()).toContain('portolan trust')
  expect(folder.read('project/.claude/settings.local.json')).toBe(settings)

  const machine = aMachine(folder, { GATEWAY_MCP_CONFIG: folder.file('project/.mcp.json') })
  const report = await adopt(machine)
  expect(folder.read('project/.mcp.json')).toBe(team)
  expect(folder.read('project/.cursor/mcp.json')).toContain('"ours"')
  expect(existsSync(folder.file('data/mcp.json'))).toBe(false)
  expect(JSON.parse(folder.read('project/.claude/settings.local.json'))).toEqual({
    permissions: { allow: [] },
    disabledMcpjsonServers: ['x', 'shared'],
  })
  expect(report.clients.map(({ client }) => client.id)).toEqual(['claude-code'])
  await undoAdopt(aMachine(folder))
  expect(folder.read('project/.claude/settings.local.json')).toBe(settings)
})

it('carries over what a client had switched off, and names what it cannot', async () => {
  const folder = tempFolder()
  folder.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { surf: { command: 's', disabledTools: ['rm'], autoApprove: ['ls'] } },
  })
  folder.write('.gemini/settings.json', {
    mcpServers: {
      gem: { command: 'g', includeTools: ['a', 'b'], excludeTools: ['b'], trust: true },
    },
  })
  folder.write('e.env', 'A=1\n')
  folder.write('.config/Code/User/mcp.json', {
    inputs: [{ id: 'gh', type: 'promptString' }],
    servers: {
      file: { command: 'f', envFile: folder.file('e.env') },
      asks: { command: 'a', env: { GH: '${input:gh}' } },
      here: { command: 'h', args: ['${workspaceFolder}/x'] },
    },
  })
  folder.write('.copilot/mcp-config.json', {
    mcpServers: {
      all: { type: 'local', command: 'c', tools: ['*'] },
      some: { type: 'local', command: 'd', tools: ['one'] },
    },
  })
  folder.write('.config/opencode/opencode.json', {
    mcp: {
      oc: { type: 'local', command: ['o', '-x'], environment: { K: '{env:HOME}' }, enabled: false },
    },
  })
  const report = await adopt(aMachine(folder))
  expect(userServers(folder)).toEqual({
    surf: { command: 's', disabled_tools: ['rm'] },
    gem: { command: 'g', enabled_tools: ['a', 'b'], disabled_tools: ['b'] },
    file: { command: 'f', envFile: folder.file('e.env') },
    all: { command: 'c' },
    some: { command: 'd', enabled_tools: ['one'] },
    oc: { command: 'o', args: ['-x'], env: { K: '${HOME}' }, disabled: true },
  })
  expect(
    report.plan.moved.flatMap(({ name, notes = [] }) => notes.map((note) => [name, note])),
  ).toEqual([
    ['surf', '"autoApprove" is a setting of Windsurf that Portolan does not have'],
    ['gem', '"trust" is a setting of Gemini CLI that Portolan does not have'],
  ])
  // What would not work behind Portolan stays where it works.
  expect(report.plan.kept.map(({ found }) => found.name)).toEqual(['asks', 'here'])
  expect(report.plan.kept[0]?.reason).toContain('it needs GH')
  expect(Object.keys(JSON.parse(folder.read('.config/Code/User/mcp.json')).servers)).toEqual([
    'portolan',
    'asks',
    'here',
  ])
})

it('leaves an entry where it is that .mcp.json would not take, and says why', async () => {
  const folder = tempFolder()
  folder.write('.cursor/mcp.json', {
    mcpServers: {
      bare: { url: 'mcp.example/mcp?token=ghp_abcdefghijklmnopqrstuvwxyz0123456789' },
      words: { command: 'node', args: 'server.js' },
      socket: { type: 'websocket', url: 'ws://mcp.example' },
      fine: { command: 'node', args: ['a.js', 1], env: { PORT: 8080, UNSET: null } },
    },
  })
  const report = await adopt(aMachine(folder))
  expect(report.plan.moved.map(({ entry }) => entry)).toEqual([
    { command: 'node', args: ['a.js', '1'], env: { PORT: '8080' } },
  ])
  expect(report.plan.kept.map(({ found, reason }) => [found.name, reason])).toEqual([
    ['bare', expect.stringMatching(/^"url" must start with http.*, got "mcp(?!.*ghp_)/)],
    ['words', '"args" must be an array, got string'],
    ['socket', expect.stringContaining('"url" must start with http')],
  ])
  expect(Object.keys(JSON.parse(folder.read('.cursor/mcp.json')).mcpServers).toSorted()).toEqual([
    'bare',
    'portolan',
    'socket',
    'words',
  ])
})

it('starts no server that came with the folder, only to count its tools', async () => {
  const folder = aHome()
  const started = folder.file('started')
  const hostile = {
    command: process.execPath,
    args: ['-e', `fs.writeFileSync(${JSON.stringify(started)}, '')`],
  }
  folder.write('project/.mcp.json', { mcpServers: { evil: hostile } })
  folder.write('project/.cursor/mcp.json', { mcpServers: { worse: hostile } })
  const clients = CLIENTS.filter(({ id }) => id === 'claude-code' || id === 'cursor')
  const cursor = CLIENTS.filter(({ id }) => id === 'cursor')
  await adopt(aMachine(folder), { clients: cursor, count: true, dryRun: true, timeoutMs: 5_000 })
  await adopt(aMachine(folder), { clients, count: true, dryRun: true, timeoutMs: 1_000 })
  expect(existsSync(started)).toBe(false)
})
