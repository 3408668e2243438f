import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import type { Config } from '../load.ts'
import { ConfigError } from '../problem.ts'
import { watchConfig } from './watch.ts'
import { trustEverything } from '../trust/trust-list.ts'

const MCP = '.mcp.json'
const RULES = '.mcp-gateway-rules.json'

const servers = (...names: string[]) => ({
  mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])),
})
const rules = (agent: string, server = '*') => ({
  agents: { [agent]: { allow: { servers: [server] } } },
})

function follow(folder: TempFolder) {
  const seen: Config[] = []
  const errors: unknown[] = []
  const watcher = watchConfig(
    { cwd: folder.path, env: { HOME: folder.path }, trust: trustEverything },
    {
      onReload: (next) => void seen.push(next),
      onError: (error) => void errors.push(error),
    },
  )
  onTestFinished(() => watcher.close())
  return { watcher, seen, errors }
}

async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 2000, interval: 5 })
}

describe('a changed file', () => {
  it('is applied soon', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    const { watcher } = follow(folder)
    const started = performance.now()
    folder.write(MCP, servers('a', 'b'))
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['a', 'b']))
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('is one that a servers file names: an API description, or a file of variables', async () => {
    const folder = tempFolder()
    folder.write('pets.json', { openapi: '3.0.0', paths: {} })
    folder.write('a.env', 'TOKEN=one\n')
    const pets = { openapi: './pets.json' }
    folder.write(MCP, { mcpServers: { a: { command: 'a', envFile: './a.env' } } })
    const { watcher, errors } = follow(folder)
    folder.write(MCP, { mcpServers: { pets, a: { command: 'a', envFile: './a.env' } } })
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['pets', 'a']))
    folder.write('a.env', 'TOKEN=another\n')
    await soon(() =>
      expect(watcher.current.servers.get('a')).toMatchObject({ env: { TOKEN: 'another' } }),
    )
    const before = watcher.current.servers.get('pets')
    folder.write('pets.json', '{"openapi": ')
    await soon(() => expect(String(errors[0])).toContain('pets.json is broken'))
    expect(watcher.current.servers.get('pets')).toBe(before)
    folder.write('pets.json', { openapi: '3.0.0', paths: { '/pets': {} } })
    await soon(() => expect(watcher.current.servers.get('pets')).not.toBe(before))
  })

  it('is applied but for an entry with a mistake, whose server goes on as it was', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    const { watcher, errors } = follow(folder)
    folder.write(MCP, { mcpServers: { ...servers('b').mcpServers, a: { comand: 'a' } } })
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['b', 'a']))
    expect(watcher.current.servers.get('a')).toMatchObject({ kind: 'stdio', command: 'a' })
    expect(watcher.status.mcp_config.last_error).toContain('must specify either "command"')
    await soon(() => expect(errors).toHaveLength(1))
  })

  it('is seen when an editor saves by renaming', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    const { watcher } = follow(folder)
    for (const name of ['b', 'c']) {
      renameSync(folder.write('draft.tmp', servers(name)), folder.file(MCP))
      await soon(() => expect([...watcher.current.servers.keys()]).toEqual([name]))
    }
  })

  it('is seen in the data folder too, even when that is made after the start', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    const { watcher } = follow(folder)
    folder.write('.portolan/mcp.json', servers('mine'))
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['mine', 'a']))
    folder.write('.portolan/mcp.json', servers('other'))
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['other', 'a']))
  })

  it('is seen when it appears after the start', async () => {
    const folder = tempFolder()
    const { watcher } = follow(folder)
    expect(watcher.current.rules).toBeUndefined()
    folder.write(RULES, rules('ada'))
    await soon(() => expect(Object.keys(watcher.current.rules?.agents ?? {})).toEqual(['ada']))
  })

  it('is seen through a symlink, also when the link is swapped as Kubernetes does', async () => {
    const folder = tempFolder()
    folder.write('v1/mcp', servers('a'))
    folder.write('v2/mcp', servers('b'))
    symlinkSync('v1', folder.file('..data'))
    symlinkSync('..data/mcp', folder.file(MCP))
    const { watcher } = follow(folder)
    expect([...watcher.current.servers.keys()]).toEqual(['a'])
    symlinkSync('v2', folder.file('..tmp'))
    renameSync(folder.file('..tmp'), folder.file('..data'))
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['b']))
    writeFileSync(folder.file('v2/mcp'), JSON.stringify(servers('c')))
    await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['c']))
  })

  it('causes one reload when both files are written together', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    folder.write(RULES, rules('ada', 'a'))
    const { seen } = follow(folder)
    folder.write(MCP, servers('b'))
    folder.write(RULES, rules('bob', 'b'))
    await soon(() => expect(seen).toHaveLength(1))
    expect([...(seen[0]?.servers.keys() ?? [])]).toEqual(['b'])
    expect(Object.keys(seen[0]?.rules?.agents ?? {})).toEqual(['bob'])
  })

  it('causes none when it says the same as before', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    const { watcher, seen } = follow(folder)
    folder.write(MCP, `${JSON.stringify(servers('a'))}\n`)
    await soon(() => expect(watcher.status.mcp_config.attempt_count).toBe(1))
    expect(seen).toEqual([])
  })
})

describe('a bad file while running', () => {
  it('keeps its old content and does not hold up the other file', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    folder.write(RULES, rules('ada'))
    const { watcher, errors } = follow(folder)
    folder.write(RULES, '{ "agents": ')
    folder.write(MCP, servers('a', 'b'))
    const config = await watcher.reload()
    expect([...config.servers.keys()]).toEqual(['a', 'b'])
    expect(Object.keys(config.rules?.agents ?? {})).toEqual(['ada'])
    expect(errors[0]).toBeInstanceOf(ConfigError)
    expect(watcher.status.gateway_rules).toMatchObject({ attempt_count: 1, success_count: 0 })
    expect(watcher.status.gateway_rules.last_error).toMatch(/is not valid JSON/)
    expect(watcher.status.mcp_config).toMatchObject({ success_count: 1, last_error: null })
  })

  it('does not hold up the rules when it is the servers file', async () => {
    const folder = tempFolder()
    folder.write(MCP, servers('a'))
    folder.write(RULES, rules('ada'))
    const { watcher } = follow(folder)
    folder.write(MCP, { mcpServers: { a: { command: 'x', url: 'http://y' } } })
    folder.write(RULES, rules('bob'))
    const config = await watcher.reload()
    expect([...config.servers.keys()]).toEqual(['a'])
    expect(Object.keys(config.rules?.agents ?? {})).toEqual(['bob'])
    expect(watcher.status.mcp_config.last_error).toMatch(/cannot have both/)
  })

  it('is used again as soon as it is mended', async () => {
    const folder = tempFolder()
    folder.write(RULES, rules('ada'))
    const { watcher } = follow(folder)
    folder.write(RULES, '{')
    await soon(() => expect(watcher.status.gateway_rules.last_error).not.toBeNull())
    folder.write(RULES, rules('bob'))
    await soon(() => expect(Object.keys(watcher.current.rules?.agents ?? {})).toEqual(['bob']))
    expect(watcher.status.gateway_rules.last_error).toBeNull()
    expect(watcher.status.gateway_rules.last_success).toBe(
      watcher.status.gateway_rules.last_attempt,
    )
  })

  it('that disappears does not open everything', async () => {
    const folder = tempFolder()
    folder.write(RULES, rules('ada'))
    const { watcher } = follow(folder)
    rmSync(folder.file(RULES))
    const config = await watcher.reload()
    expect(Object.keys(config.rules?.agents ?? {})).toEqual(['ada'])
    expect(watcher.status.gateway_rules.last_error).toMatch(/file not found/)
  })
})

const kind = ({ servers: all }: Config) => all.get('needy')?.kind

describe('a stored secret', () => {
  const needy = { mcpServers: { needy: { command: 'x', env: { KEY: '${THE_KEY}' } } } }

  it('reaches its server at once, and leaves it at once', async () => {
    const folder = tempFolder()
    folder.write(MCP, needy)
    const { watcher } = follow(folder)
    expect(kind(watcher.current)).toBe('broken')
    folder.write('.portolan/secrets.env', 'THE_KEY=1\n')
    await soon(() => expect(kind(watcher.current)).toBe('stdio'))
    rmSync(folder.file('.portolan/secrets.env'))
    await soon(() => expect(kind(watcher.current)).toBe('broken'))
  })

  it('leaves its server even while the servers file is bad, and in a folder that settings name', async () => {
    const folder = tempFolder()
    folder.write(MCP, needy)
    folder.write('portolan.yaml', { home: folder.file('moved') })
    folder.write('moved/secrets.env', 'THE_KEY=1\n')
    const { watcher } = follow(folder)
    expect(kind(watcher.current)).toBe('stdio')
    folder.write(MCP, '{')
    await soon(() => expect(watcher.status.mcp_config.last_error).not.toBeNull())
    folder.write('moved/secrets.env', '')
    await soon(() => expect(kind(watcher.current)).toBe('broken'))
  })
})

it('keeps servers that did not change as the same objects', async () => {
  const folder = tempFolder()
  folder.write(MCP, servers('a', 'b'))
  const { watcher } = follow(folder)
  const before = watcher.current.servers
  folder.write(MCP, { mcpServers: { a: { command: 'a' }, b: { command: 'other' } } })
  const { servers: after } = await watcher.reload()
  expect(after.get('a')).toBe(before.get('a'))
  expect(after.get('b')).not.toBe(before.get('b'))
})

it('reports rules about undefined servers as warnings of the rules file', async () => {
  const folder = tempFolder()
  folder.write(MCP, servers('a'))
  const { watcher } = follow(folder)
  folder.write(RULES, rules('ada', 'ghost'))
  await watcher.reload()
  expect(watcher.status.gateway_rules.last_warnings).toEqual([
    'Agent "ada" allow.servers references undefined server "ghost"',
  ])
})

it('refuses to start on a bad file', () => {
  const folder = tempFolder()
  folder.write(MCP, '[]')
  expect(() => follow(folder)).toThrow(ConfigError)
})

it('never runs two reloads at once', async () => {
  const folder = tempFolder()
  folder.write(MCP, servers('a'))
  let running = 0
  let most = 0
  const watcher = watchConfig(
    { cwd: folder.path, env: { HOME: folder.path }, trust: trustEverything },
    {
      async onReload() {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running--
      },
    },
  )
  onTestFinished(() => watcher.close())
  folder.write(MCP, servers('b'))
  const first = watcher.reload()
  folder.write(MCP, servers('c'))
  await Promise.all([first, watcher.reload()])
  expect(most).toBe(1)
})

it('sees a folder that is removed and made again', async () => {
  const folder = tempFolder()
  const path = folder.write('conf/servers.json', servers('a'))
  const watcher = watchConfig(
    {
      cwd: tempFolder().path,
      env: { HOME: tempFolder().path, GATEWAY_MCP_CONFIG: path },
    },
    { onReload: () => {} },
  )
  onTestFinished(() => watcher.close())
  rmSync(dirname(path), { recursive: true })
  await soon(() => expect(watcher.status.mcp_config.last_error).toMatch(/not found/))
  mkdirSync(dirname(path))
  writeFileSync(join(dirname(path), 'servers.json'), JSON.stringify(servers('b')))
  await soon(() => expect([...watcher.current.servers.keys()]).toEqual(['b']))
})

it.skipIf(process.platform === 'win32')(
  'a file that becomes a pipe or a device does not block the gateway',
  async () => {
    const folder = tempFolder()
    folder.write(MCP, { mcpServers: { a: { command: 'a' } } })
    folder.write(RULES, rules('ada'))
    folder.write('.portolan/secrets.env', 'A=1\n')
    folder.write('.portolan/rules.json', rules('bob'))
    const { watcher } = follow(folder)
    for (const name of [MCP, RULES, '.portolan/secrets.env', '.portolan/rules.json'])
      rmSync(folder.file(name))
    execFileSync('mkfifo', [folder.file(MCP), folder.file('.portolan/rules.json')])
    for (const name of [RULES, '.portolan/secrets.env']) symlinkSync('/dev/zero', folder.file(name))
    const config = await watcher.reload()
    expect([...config.servers.keys()]).toEqual(['a'])
    expect(Object.keys(config.rules?.agents ?? {})).toEqual(['bob', 'ada'])
    expect(watcher.status.gateway_rules.last_error).toContain('is not a plain file')
  },
)
