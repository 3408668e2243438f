import { createServer } from 'node:http'
import { chmodSync, existsSync, lstatSync, statSync, symlinkSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import { CLIENT_IDS, type ClientId, type Endpoint } from '../clients/client.ts'
import { CLIENTS, clientOf } from '../clients/clients.ts'
import type { Machine } from '../clients/machine.ts'
import { connect, disconnect } from './connect-client.ts'

const STDIO: Endpoint = {
  kind: 'stdio',
  command: '/n/node',
  args: ['/p/main.js'],
  env: { PORTOLAN_HOME: '/d' },
  key: undefined,
}
const QUIET = { print: false, hooks: false }

/** Files as people have them: comments, odd layout, tabs, other line ends, no end of line. */
const FILES: Record<ClientId, readonly [file: string, text: string]> = {
  'claude-code': [
    '.claude.json',
    '{"numStartups":12,"projects":{"/x":{"mcpServers":{}}},"mcpServers":{"a":{"command":"a"}}}',
  ],
  'claude-desktop': [
    '.config/Claude/claude_desktop_config.json',
    '{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "a" }\r\n\t}\r\n}\r\n',
  ],
  cursor: ['.cursor/mcp.json', '{\n    "mcpServers": {}\n}\n\n\n'],
  vscode: [
    '.config/Code/User/mcp.json',
    '{\n  // mine\n  "servers": {\n    "a": { "command": "a" }, // keep\n  },\n  "inputs": [],\n}\n',
  ],
  windsurf: ['.codeium/windsurf/mcp_config.json', ''],
  zed: [
    '.config/zed/settings.json',
    '// Zed settings\n{\n  "theme": "One Dark", /* dark */\n  "context_servers": {},\n}\n',
  ],
  gemini: ['.gemini/settings.json', '{ "theme": "Default" }'],
  codex: [
    '.codex/config.toml',
    '# mine\nmodel = "o"\n\n[mcp_servers.a]\ncommand = "a" # keep\n\n[tui]\nnotifications = true',
  ],
  qwen: ['.qwen/settings.json', '{\n  // mine\n  "mcpServers": { "a": { "command": "a" } }\n}'],
  opencode: [
    '.config/opencode/opencode.jsonc',
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "a": { "type": "local", "command": ["a"] }, // keep\n  },\n}\n',
  ],
  kimi: ['.kimi-code/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}'],
  copilot: ['.copilot/mcp-config.json', '{"mcpServers": {}}'],
  goose: [
    '.config/goose/config.yaml',
    '# mine\nGOOSE_PROVIDER: openai   # keep\nextensions:\n    developer: # built in\n        enabled: true\n        type: builtin\n    a:\n        enabled: true\n        type: stdio\n        cmd: a\n        args: [-x, "y"]\nGOOSE_MODE: auto\n',
  ],
  amp: [
    '.config/amp/settings.json',
    '{\n\t"amp.mcpServers": {\n\t\t"a": {"command": "a"}\n\t}\n}\n',
  ],
  cline: [
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    '{"mcpServers":{}}',
  ],
  roo: [
    '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    '{\n  "mcpServers": {\n    "a": {"command": "a", "alwaysAllow": []}\n  }\n}',
  ],
  kiro: ['.kiro/settings/mcp.json', '{"mcpServers": {"a": {"command": "a"}}}\n'],
  lmstudio: ['.lmstudio/mcp.json', '{\n  "mcpServers": {}\n}'],
  junie: ['.junie/mcp/mcp.json', '{}'],
}

/** Where they do not call them `mcpServers`. */
const KEYS: Partial<Record<ClientId, string>> = {
  vscode: 'servers',
  zed: 'context_servers',
  codex: 'mcp_servers',
  opencode: 'mcp',
  goose: 'extensions',
  amp: 'amp.mcpServers',
}

function aMachine(folder: TempFolder): Machine {
  return {
    platform: 'linux',
    home: folder.path,
    cwd: folder.file('project'),
    env: { HOME: folder.path, PORTOLAN_HOME: folder.file('data') },
  }
}

function read(id: ClientId, text: string): unknown {
  if (id === 'goose') return parseYaml(text)
  return id === 'codex' ? parseToml(text) : parse(text, [], { allowTrailingComma: true })
}

it.each(CLIENT_IDS)(
  'adds one entry to a file of %s, and takes it back byte for byte',
  async (id) => {
    const folder = tempFolder()
    const [name, text] = FILES[id]
    folder.write(name, text)
    const connection = { client: clientOf(id), machine: aMachine(folder), scope: 'user' } as const

    expect((await connect(connection, STDIO, QUIET)).outcome).toBe('connected')
    const connected = folder.read(name)
    expect(read(id, connected)).not.toEqual(read(id, text))
    for (const line of text.split(/\r?\n/).filter((each) => /\/\/|\/\*|#/.test(each)))
      expect(connected).toContain(line)

    expect((await connect(connection, STDIO, QUIET)).outcome).toBe('already')
    expect(folder.read(name)).toBe(connected)

    const [undone] = await disconnect(connection)
    expect(undone?.outcome).toBe('restored')
    expect(folder.read(name)).toBe(text)
  },
)

it.each(CLIENT_IDS)(
  'makes the file of %s where there is none, and removes it again',
  async (id) => {
    const folder = tempFolder()
    const connection = { client: clientOf(id), machine: aMachine(folder), scope: 'user' } as const
    const { file, entry } = await connect(connection, STDIO, QUIET)
    expect(read(id, folder.read(file.slice(folder.path.length)))).toEqual(
      expect.objectContaining({ [KEYS[id] ?? 'mcpServers']: { portolan: entry } }),
    )
    const [undone] = await disconnect(connection)
    expect(undone?.outcome).toBe('removed')
    expect(existsSync(file)).toBe(false)
  },
)

it.each(CLIENT_IDS)('takes only its own entry out where %s changed the file since', async (id) => {
  const folder = tempFolder()
  const [name, text] = FILES[id]
  folder.write(name, text)
  const connection = { client: clientOf(id), machine: aMachine(folder), scope: 'user' } as const
  await connect(connection, STDIO, QUIET)
  const note = ['codex', 'goose'].includes(id) ? '# later\n' : '// later\n'
  folder.write(name, note + folder.read(name))
  const [undone] = await disconnect(connection)
  expect(undone?.outcome).toBe('edited')
  expect(folder.read(name).startsWith(note)).toBe(true)
  expect(JSON.stringify(read(id, folder.read(name)))).not.toContain('portolan')
})

it('restores what was there before the first of several changes', async () => {
  const folder = tempFolder()
  const [name, text] = FILES.vscode
  folder.write(name, text)
  const connection = {
    client: clientOf('vscode'),
    machine: aMachine(folder),
    scope: 'user',
  } as const
  await connect(connection, STDIO, QUIET)
  const url = 'http://127.0.0.1:7411/mcp'
  const again = await connect(connection, { kind: 'http', url, key: 'K' }, QUIET)
  expect(again.outcome).toBe('changed')
  expect(folder.read(name)).toContain('Bearer ${env:K}')
  await disconnect(connection)
  expect(folder.read(name)).toBe(text)
})

it('keeps links and modes of the files it changes', async () => {
  const folder = tempFolder()
  const real = folder.write('dotfiles/mcp.json', '{}')
  chmodSync(real, 0o600)
  folder.write('.cursor/.keep', '')
  symlinkSync(real, folder.file('.cursor/mcp.json'))
  const connection = {
    client: clientOf('cursor'),
    machine: aMachine(folder),
    scope: 'user',
  } as const
  await connect(connection, STDIO, QUIET)
  expect(lstatSync(folder.file('.cursor/mcp.json')).isSymbolicLink()).toBe(true)
  expect(statSync(real).mode & 0o777).toBe(0o600)
  expect(folder.read('dotfiles/mcp.json')).toContain('portolan')
})

it('refuses a TOML file that it could only break, and leaves it alone', async () => {
  const folder = tempFolder()
  const text = 'mcp_servers = { a = { command = "a" } }\n'
  folder.write('.codex/config.toml', text)
  const connection = {
    client: clientOf('codex'),
    machine: aMachine(folder),
    scope: 'user',
  } as const
  await expect(connect(connection, STDIO, QUIET)).rejects.toThrow(/written in a way we cannot edit/)
  expect(folder.read('.codex/config.toml')).toBe(text)
})

it('replaces a table of its own that stands between others', async () => {
  const folder = tempFolder()
  folder.write(
    '.codex/config.toml',
    '[mcp_servers.portolan]\ncommand = "old"\n[mcp_servers.portolan.env]\nA = "1"\n\n# about b\n[mcp_servers.b]\ncommand = "b"\n',
  )
  const connection = {
    client: clientOf('codex'),
    machine: aMachine(folder),
    scope: 'user',
  } as const
  await connect(connection, STDIO, QUIET)
  expect(folder.read('.codex/config.toml')).toBe(
    '[mcp_servers.portolan]\ncommand = "/n/node"\nargs = [ "/p/main.js" ]\n[mcp_servers.portolan.env]\nPORTOLAN_HOME = "/d"\n\n# about b\n[mcp_servers.b]\ncommand = "b"\n',
  )
})

function first(machine: Machine): Record<string, string | undefined> {
  return Object.fromEntries(
    CLIENTS.map((client) => [client.id, client.configFiles(machine)[0]?.file]),
  )
}

it('knows where clients keep their files on macOS and Windows', () => {
  const mac = first({ platform: 'darwin', home: '/Users/a', cwd: '/p', env: {} })
  expect(mac['claude-desktop']).toBe(
    '/Users/a/Library/Application Support/Claude/claude_desktop_config.json',
  )
  expect(mac['vscode']).toBe('/Users/a/Library/Application Support/Code/User/mcp.json')
  expect(mac['zed']).toBe('/Users/a/.config/zed/settings.json')
  const windows = first({ platform: 'win32', home: '/u', cwd: '/p', env: { APPDATA: '/roaming' } })
  expect(windows['claude-desktop']).toBe('/roaming/Claude/claude_desktop_config.json')
  expect(windows['zed']).toBe('/roaming/Zed/settings.json')
  expect(windows['codex']).toBe('/u/.codex/config.toml')
})

it('connects to a URL only where something answers', async () => {
  const folder = tempFolder()
  const { server, url } = await listening()
  const pointed = async () => runCli(folder, ['connect', 'cursor', '--url', url])
  expect(await pointed()).toMatchObject({ code: 0 })
  expect(folder.read('.cursor/mcp.json')).toContain(url)
  await runCli(folder, ['connect', 'cursor', '--undo'])
  await new Promise((resolve) => server.close(resolve))
  const nobody = await pointed()
  expect(nobody.code).toBe(1)
  expect(nobody.stderr).toContain(`Nothing answers at ${url}`)
  expect(nobody.stderr).toContain('Start `portolan serve` first')
  expect(folder.read('.cursor/mcp.json')).not.toContain(url)
})

async function listening() {
  const server = createServer((_, response) => response.writeHead(401).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { server, url: `http://127.0.0.1:${port}/mcp` }
}

it('says what a client cannot do, and what to do instead', async () => {
  const folder = tempFolder()
  const url = await runCli(folder, ['connect', 'claude-desktop', '--url', 'http://127.0.0.1:1/mcp'])
  expect(url.code).toBe(1)
  expect(url.stderr).toMatch(/connect it without --url, or add the URL under Settings > Connectors/)
  const broken = folder.write('.cursor/mcp.json', '{ "mcpServers": ')
  const cursor = await runCli(folder, ['connect', 'cursor'])
  expect(cursor.code).toBe(1)
  expect(cursor.stderr).toContain(`${broken} cannot be read`)
  expect(folder.read('.cursor/mcp.json')).toBe('{ "mcpServers": ')
})

it('takes no options without a client, and no address without http', async () => {
  const folder = tempFolder()
  for (const words of [['--undo'], ['--print'], ['--url', 'cursor']]) {
    const { code, stdout, stderr } = await runCli(folder, ['connect', ...words])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('No client is named. Name it first: portolan connect <client>')
  }
  const bare = await runCli(folder, ['connect', 'cursor', '--url', '127.0.0.1:7411/mcp'])
  expect(bare.stderr).toContain('"127.0.0.1:7411/mcp" is not the address of a gateway')
  expect(bare.stderr).toContain('http://127.0.0.1:7411/mcp')
})

it('starts the gateway of whatever folder the client works in', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: {} })
  const printed = await runCli(folder, ['connect', 'cursor', '--print'])
  expect(printed.stdout).toContain(`# ${folder.file('.cursor/mcp.json')}`)
  expect(existsSync(folder.file('.cursor'))).toBe(false)

  const { code, stdout } = await runCli(folder, ['connect', 'cursor', '--json'])
  expect(code).toBe(0)
  const { entry } = JSON.parse(stdout)
  expect(JSON.stringify(entry.args)).not.toContain(folder.path)
  const said = await runCli(folder, ['connect', 'cursor'])
  expect(said.stdout).toContain('The servers of this folder are there when Cursor works in it')
  expect(said.stdout).toContain(folder.file('data/mcp.json'))
  expect(entry.env).toEqual({ PORTOLAN_HOME: folder.file('data') })
})

it('installs the hooks of Claude Code when asked, and removes them with the rest', async () => {
  const folder = tempFolder()
  const settings = '{\n    "model": "opus"\n}'
  folder.write('.claude/settings.json', settings)
  folder.write('.claude.json', '{}')
  const { stdout } = await runCli(folder, ['connect', 'claude-code', '--hooks'])
  expect(stdout).toContain('Trace hooks installed in')
  expect(folder.read('.claude/settings.json')).toContain(' traces hook SessionStart')
  await runCli(folder, ['connect', 'claude-code', '--undo'])
  expect(folder.read('.claude/settings.json')).toBe(settings)
  expect(folder.read('.claude.json')).toBe('{}')
})
