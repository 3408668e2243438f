import { existsSync, readdirSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { stdioUpstream } from '../../../test/support/start.ts'
import { storedSecrets } from '../../../test/support/stored-secrets.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import type { Machine } from '../clients/machine.ts'
import { type ImportOptions, runImport } from './run-import.ts'

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

function optionsFor(folder: TempFolder, rest: Partial<ImportOptions> = {}): ImportOptions {
  const machine: Machine = {
    platform: 'linux',
    home: folder.path,
    cwd: folder.path,
    env: { HOME: folder.path, PORTOLAN_HOME: folder.file('data') },
  }
  return {
    machine,
    target: folder.file('.mcp.json'),
    onConflict: 'keep',
    allProjects: false,
    count: false,
    timeoutMs: 10_000,
    keepSecrets: true,
    dryRun: false,
    ...rest,
  }
}

const serversIn = (folder: TempFolder) => JSON.parse(folder.read('.mcp.json')).mcpServers

it('takes the servers of every client, in the words of .mcp.json', async () => {
  const folder = tempFolder()
  folder.write('.claude.json', {
    mcpServers: { claude: { type: 'stdio', command: 'a', args: ['-x'], env: {} } },
    projects: { [folder.path]: { mcpServers: { here: { command: 'b' } } } },
  })
  folder.write('.config/Claude/claude_desktop_config.json', {
    mcpServers: { desktop: { command: 'c', env: { REGION: 'eu' } } },
  })
  folder.write('.cursor/mcp.json', {
    mcpServers: { cursor: { url: 'https://c.example/mcp', headers: { 'X-Team': '${env:TEAM}' } } },
  })
  folder.write(
    '.config/Code/User/mcp.json',
    '{ // mine\n "inputs": [{"id": "pg-password", "type": "promptString", "password": true}],\n "servers": {"code": {"type": "stdio", "command": "${userHome}/d", "env": {"PGPASSWORD": "${input:pg-password}"}},}}',
  )
  folder.write('.vscode/mcp.json', {
    servers: { work: { type: 'sse', url: 'https://w.example/sse' } },
  })
  folder.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { surf: { serverUrl: 'https://s.example/mcp', disabled: true } },
  })
  folder.write(
    '.config/zed/settings.json',
    '{"context_servers": {"zed": {"source": "custom", "command": "e", "args": ["1"]}, "old": {"command": {"path": "f", "args": ["2"]}}, "ext": {"settings": {}}}, /* c */}',
  )
  folder.write('.gemini/settings.json', {
    mcpServers: {
      gem: { httpUrl: 'https://g.example/mcp', headers: { Authorization: 'Bearer $GEM' } },
      gemold: { url: 'https://g.example/sse' },
    },
  })
  folder.write(
    '.codex/config.toml',
    '[mcp_servers.codex]\ncommand = "g"\nenv_vars = ["CX"]\n[mcp_servers.codex.env]\nA = "1"\n[mcp_servers.remote]\nurl = "https://x.example/mcp"\nbearer_token_env_var = "XT"\n',
  )
  folder.write('.cline/data/settings/cline_mcp_settings.json', {
    mcpServers: {
      cline: { command: 'h', timeout: 60 },
      clinecli: { transport: { type: 'stdio', command: 'i', args: ['2'] } },
      clineurl: { transport: { type: 'streamableHttp', url: 'https://n.example/mcp' } },
    },
  })
  const report = await runImport(optionsFor(folder))
  expect(report.problems).toEqual([])
  expect(serversIn(folder)).toEqual({
    cline: { command: 'h', timeout_ms: 60_000 },
    clinecli: { command: 'i', args: ['2'] },
    clineurl: { url: 'https://n.example/mcp' },
    claude: { command: 'a', args: ['-x'] },
    here: { command: 'b' },
    desktop: { command: 'c', env: { REGION: 'eu' } },
    cursor: { url: 'https://c.example/mcp', headers: { 'X-Team': '${TEAM}' } },
    code: { command: `${folder.path}/d`, env: { PGPASSWORD: '${PG_PASSWORD}' } },
    work: { type: 'sse', url: 'https://w.example/sse' },
    surf: { url: 'https://s.example/mcp', disabled: true },
    zed: { command: 'e', args: ['1'] },
    old: { command: 'f', args: ['2'] },
    gem: { url: 'https://g.example/mcp', headers: { Authorization: 'Bearer ${GEM}' } },
    gemold: { type: 'sse', url: 'https://g.example/sse' },
    codex: { command: 'g', env: { CX: '${CX}', A: '1' } },
    remote: { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${XT}' } },
  })
  const ext = report.planned.find(({ name }) => name === 'ext')
  expect(ext).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('extension') })
})

it('moves secrets to a file of their own, and prints none of them', async () => {
  const folder = tempFolder()
  const secrets = {
    env: 'hunter2hunter2',
    arg: 'opensesame',
    header: 'abc.def.ghi',
    query: 'qqqqqqqq',
    path: 'a1b2c3d4e5f6a1b2c3d4e5f6a1',
    url: 'postgres://bob:pa55w0rd@db/x',
  }
  folder.write('.cursor/mcp.json', {
    mcpServers: {
      one: {
        command: 'x',
        args: ['--api-key', secrets.arg, '-e', `GITHUB_TOKEN=${TOKEN}`, secrets.url],
        env: { DB_PASSWORD: secrets.env, MODE: 'fast' },
      },
      two: {
        url: `https://h.example/s/${secrets.path}/mcp?token=${secrets.query}`,
        headers: { Authorization: `Bearer ${secrets.header}`, Accept: 'text/html' },
      },
      // The same name with another value must not take the first one's place.
      three: { command: 'y', env: { DB_PASSWORD: 'another-value' } },
    },
  })
  const { code, stdout, stderr } = await runCli(folder, [
    'import',
    '--no-count',
    '--mcp',
    '.mcp.json',
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const secret of [TOKEN, 'another-value', ...Object.values(secrets)]) {
    expect(stdout).not.toContain(secret)
    expect(folder.read('.mcp.json')).not.toContain(secret)
    expect(storedSecrets(folder)).toContain(secret)
  }
  expect(statSync(folder.file('data/secrets.sealed')).mode & 0o777).toBe(0o600)
  expect(serversIn(folder)).toEqual({
    one: {
      command: 'x',
      args: ['--api-key', '${ONE_API_KEY}', '-e', 'GITHUB_TOKEN=${GITHUB_TOKEN}', '${ONE_SECRET}'],
      env: { DB_PASSWORD: '${DB_PASSWORD}', MODE: 'fast' },
    },
    two: {
      url: 'https://h.example/s/${TWO_KEY}/mcp?token=${TWO_TOKEN_2}',
      headers: { Authorization: 'Bearer ${TWO_TOKEN}', Accept: 'text/html' },
    },
    three: { command: 'y', env: { DB_PASSWORD: '${THREE_DB_PASSWORD}' } },
  })
  // What was moved is found again: nothing is broken, and nothing is new the second time.
  const check = await runCli(folder, ['check'])
  expect(check.stderr).toContain(`${folder.file('.mcp.json')}: 3 servers`)
  const again = await runImport(optionsFor(folder))
  expect(again.planned.map(({ outcome }) => outcome)).toEqual(['there', 'there', 'there'])
})

it('keeps the secret of a server that is already there, whose variable nobody has set', async () => {
  const folder = tempFolder()
  const written = { command: 'x', env: { DB_PASSWORD: '${DB_PASSWORD}' } }
  folder.write('.mcp.json', { mcpServers: { one: written } })
  folder.write('.cursor/mcp.json', {
    mcpServers: { one: { command: 'x', env: { DB_PASSWORD: 'hunter2hunter2' } } },
  })
  const before = folder.read('.mcp.json')
  const dry = await runImport(optionsFor(folder, { dryRun: true }))
  expect(dry).toMatchObject({ variables: ['DB_PASSWORD'], written: false })
  expect(existsSync(folder.file('data'))).toBe(false)
  const { stdout } = await runCli(folder, ['import', '--no-count', '--mcp', '.mcp.json'])
  expect(stdout).toContain('Nothing to add')
  expect(stdout).toContain(`Secrets are kept sealed in ${folder.file('data/secrets.sealed')}`)
  expect(storedSecrets(folder)).toContain('hunter2hunter2')
  expect(folder.read('.mcp.json')).toBe(before)
  expect(await runImport(optionsFor(folder))).toMatchObject({ variables: [], written: false })
})

it('names conflicts and leaves them alone, unless told otherwise', async () => {
  const folder = tempFolder()
  const mine =
    '{\n    "mcpServers": {\n        "pg": { "command": "mine" }\n    },\n    "other": 1\n}\n'
  folder.write('.mcp.json', mine)
  folder.write('.cursor/mcp.json', {
    mcpServers: { pg: { command: 'theirs' }, same: { command: 's' } },
  })
  folder.write('.gemini/settings.json', {
    mcpServers: { same: { command: 's' }, pg: { command: 'third' } },
  })
  const fates = async (rest: Partial<ImportOptions>) => {
    const { planned } = await runImport(optionsFor(folder, rest))
    return planned.map(({ name, outcome, found }) => [name, outcome, found.length])
  }
  expect(await fates({ dryRun: true })).toEqual([
    ['pg', 'conflict', 1],
    ['same', 'new', 2],
    ['pg', 'conflict', 1],
  ])
  expect(folder.read('.mcp.json')).toBe(mine)
  expect(existsSync(folder.file('data'))).toBe(false)

  await fates({ onConflict: 'rename' })
  expect(serversIn(folder)).toEqual({
    pg: { command: 'mine' },
    'pg-cursor': { command: 'theirs' },
    same: { command: 's' },
    'pg-gemini': { command: 'third' },
  })
  expect(folder.read('.mcp.json')).toContain('        "pg": { "command": "mine" }\n')

  expect(await fates({ onConflict: 'replace' })).toEqual([
    ['pg', 'replaces', 1],
    ['same', 'there', 2],
    ['pg', 'conflict', 1],
  ])
  expect(serversIn(folder).pg).toEqual({ command: 'theirs' })
})

it('starts the servers to count what their tools cost, within its time', async () => {
  const folder = tempFolder()
  folder.write('.cursor/mcp.json', {
    mcpServers: {
      real: stdioUpstream(),
      hangs: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
      missing: { command: 'no-such-program-anywhere' },
      portolan: { command: 'npx', args: ['-y', 'portolan'] },
    },
  })
  const { stdout, code } = await runCli(folder, [
    'import',
    '--json',
    '--timeout',
    '4s',
    '--mcp',
    '.mcp.json',
  ])
  expect(code).toBe(0)
  const report = JSON.parse(stdout)
  const byName = Object.fromEntries(
    report.servers.map((server: { name: string }) => [server.name, server]),
  )
  expect(byName.real.tools).toBeGreaterThan(3)
  expect(byName.real.tokens).toBeGreaterThan(100)
  expect(byName.hangs).toMatchObject({ tokens: null, error: 'no answer within 4 s' })
  expect(byName.missing.error).toContain('ENOENT')
  expect(byName.portolan).toMatchObject({ outcome: 'skipped', reason: 'this is Portolan itself' })
  expect(report.tokens_today.Cursor).toBe(byName.real.tokens)
  expect(report.tokens_behind_portolan).toBeLessThan(1500)
  // Counting leaves nothing behind.
  expect(readdirSync(folder.file('data'))).toEqual(['history', 'trusted.json', 'vault-key'])
})

it('takes servers of other projects only when asked, and says where they are', async () => {
  const folder = tempFolder()
  folder.write('.claude.json', {
    projects: { '/elsewhere': { mcpServers: { far: { command: 'x' } } } },
  })
  const { planned } = await runImport(optionsFor(folder))
  expect(planned).toMatchObject([{ outcome: 'elsewhere', reason: '/elsewhere' }])
  await runImport(optionsFor(folder, { allProjects: true }))
  expect(serversIn(folder)).toEqual({ far: { command: 'x' } })
})

it('goes on where one client has a broken file, and says so', async () => {
  const folder = tempFolder()
  folder.write('.codex/config.toml', 'mcp_servers = ')
  folder.write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
  const { code, stdout } = await runCli(folder, ['import', '--no-count', '--mcp', '.mcp.json'])
  expect(code).toBe(1)
  expect(stdout).toContain(`${folder.file('.codex/config.toml')} cannot be read`)
  expect(serversIn(folder)).toEqual({ a: { command: 'a' } })
})

it('says what to do where nothing is found', async () => {
  const folder = tempFolder()
  const { code, stdout } = await runCli(folder, ['import', '--mcp', '.mcp.json'])
  expect(code).toBe(0)
  expect(stdout).toContain('portolan demo')
  expect(existsSync(folder.file('.mcp.json'))).toBe(false)
})

it('neither starts nor takes a server that came with the folder, until a person has accepted it', async () => {
  const folder = tempFolder()
  const started = folder.file('started')
  const hostile = {
    command: process.execPath,
    args: ['-e', `fs.writeFileSync(${JSON.stringify(started)}, '')`],
  }
  folder.write('clone/.mcp.json', { mcpServers: { evil: hostile } })
  folder.write('clone/.cursor/mcp.json', { mcpServers: { worse: hostile } })
  const { machine } = optionsFor(folder)
  const options = optionsFor(folder, {
    machine: { ...machine, cwd: folder.file('clone') },
    target: folder.file('data/mcp.json'),
    count: true,
  })
  const { planned, written } = await runImport(options)
  expect(planned.map(({ name, outcome, reason }) => [name, outcome, reason])).toEqual([
    ['evil', 'skipped', expect.stringContaining('portolan trust')],
    ['worse', 'skipped', expect.stringContaining('--project')],
  ])
  expect({ written, isStarted: existsSync(started) }).toEqual({ written: false, isStarted: false })
  expect(await runImport({ ...options, project: true, count: false })).toMatchObject({
    planned: [{ outcome: 'new' }, { outcome: 'new' }],
    written: true,
  })
})
