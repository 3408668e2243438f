import { renameSync, symlinkSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { recordTrust, revokeTrust } from './record-trust.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { type Flags, loadConfig } from '../load.ts'
import { watchConfig } from '../reload/watch.ts'
import { trustListFile } from './trust-list.ts'

const MCP = '.mcp.json'
const RULES = '.mcp-gateway-rules.json'
const SETTINGS = 'portolan.yaml'
const server = (name: string) => ({ mcpServers: { [name]: { command: name } } })

/** A person with a server of their own, in a folder that came from somebody else. */
function aStrangeFolder() {
  const [cwd, home] = [tempFolder(), tempFolder()]
  home.write('.portolan/mcp.json', server('mine'))
  const place = { cwd: cwd.path, env: { HOME: home.path } }
  const load = (env: Record<string, string> = {}, flags: Flags = {}) =>
    loadConfig({ ...place, env: { ...place.env, ...env }, flags })
  const trust = (...names: string[]) =>
    recordTrust(
      place,
      names.map((name) => ({ path: cwd.file(name), text: cwd.read(name) })),
      'trusted',
    )
  const names = (env?: Record<string, string>) => [...load(env).servers.keys()]
  return { cwd, home, place, load, trust, names }
}

describe('the servers of a folder', () => {
  it('are left out until the file is trusted, and those of the user are not', () => {
    const { cwd, load, trust, names } = aStrangeFolder()
    const file = cwd.write(MCP, server('theirs'))
    expect(names()).toEqual(['mine'])
    expect(load().leftOut).toEqual([
      {
        kind: 'mcp',
        path: file,
        verdict: 'unknown',
        message: `${file} is not trusted, so none of its servers is started.`,
        command: `portolan trust ${cwd.path}`,
      },
    ])
    expect(load().warnings).toEqual([
      expect.stringContaining(`Read it, then run: portolan trust ${cwd.path}`),
    ])
    trust(MCP)
    expect(names()).toEqual(['mine', 'theirs'])
    expect(load()).toMatchObject({ leftOut: [], warnings: [] })
  })

  it('are left out again when the file changes, and back when it changes back', () => {
    const { cwd, load, trust, names } = aStrangeFolder()
    cwd.write(MCP, server('theirs'))
    trust(MCP)
    cwd.write(MCP, server('other'))
    expect(names()).toEqual(['mine'])
    expect(load().leftOut).toMatchObject([
      { verdict: 'changed', message: expect.stringContaining('has changed since it was trusted') },
    ])
    cwd.write(MCP, server('theirs'))
    expect(names()).toEqual(['mine', 'theirs'])
  })

  it('are trusted in one place: the same text elsewhere is another file', () => {
    const { cwd, home, place, trust, names } = aStrangeFolder()
    cwd.write(MCP, server('theirs'))
    trust(MCP)
    const elsewhere = tempFolder()
    elsewhere.write(MCP, server('theirs'))
    const there = loadConfig({ ...place, cwd: elsewhere.path })
    expect([...there.servers.keys()]).toEqual(['mine'])
    // A link to the trusted folder leads to the trusted file.
    symlinkSync(cwd.path, home.file('link'))
    const linked = loadConfig({ ...place, cwd: home.file('link') })
    expect([...linked.servers.keys()]).toEqual(names())
  })

  it('count at once when a person names the file by flag or variable', () => {
    const { cwd, load, names } = aStrangeFolder()
    const file = cwd.write(MCP, server('theirs'))
    expect([...load({}, { mcp: file }).servers.keys()]).toEqual(['mine', 'theirs'])
    expect(names({ GATEWAY_MCP_CONFIG: MCP })).toEqual(['mine', 'theirs'])
  })

  it('are found in ./config, too, and are no more trusted there', () => {
    const { cwd, names, trust } = aStrangeFolder()
    cwd.write(`config/${MCP}`, server('theirs'))
    expect(names()).toEqual(['mine'])
    trust(`config/${MCP}`)
    expect(names()).toEqual(['mine', 'theirs'])
  })

  it('stay out when the list of trusted files is damaged', () => {
    const { cwd, home, place, trust, names } = aStrangeFolder()
    cwd.write(MCP, server('theirs'))
    trust(MCP)
    const whole = home.read('.portolan/trusted.json')
    home.write('.portolan/trusted.json', whole.slice(0, -9))
    expect(names()).toEqual(['mine'])
    home.write('.portolan/trusted.json', whole.replace('"trusted"', '"yes"'))
    expect(names()).toEqual(['mine'])
    renameSync(home.write('whole', whole), trustListFile(place))
    expect(names()).toEqual(['mine', 'theirs'])
  })

  it('are left out if the file is no plain file', () => {
    const { cwd, load, names } = aStrangeFolder()
    for (const name of [MCP, RULES, SETTINGS]) symlinkSync('/dev', cwd.file(name))
    expect(names()).toEqual(['mine'])
    expect(load().leftOut.map(({ kind }) => kind)).toEqual(['mcp', 'rules', 'settings'])
  })

  it('do not stop the gateway with a mistake that nobody trusts', () => {
    const { cwd, load, trust } = aStrangeFolder()
    cwd.write(MCP, '{ not JSON')
    cwd.write(RULES, '[]')
    cwd.write(SETTINGS, 'pins: 7\n')
    expect(load().leftOut.map(({ kind }) => kind)).toEqual(['mcp', 'rules', 'settings'])
    trust(MCP)
    expect(() => load()).toThrow('is not valid JSON')
  })
})

const open = (
  server_: string,
  tool: string,
  agent: string,
  { rules, denials }: ReturnType<typeof loadConfig>,
) => createPolicy(rules, { denials }).tool({ id: agent }, server_, tool).effect

describe('the rules of a folder that is not trusted', () => {
  it('take away, with rules of the user and without', () => {
    const { cwd, home, load } = aStrangeFolder()
    cwd.write(RULES, {
      agents: { ada: { allow: { servers: ['*'] }, deny: { tools: { mine: ['delete_*'] } } } },
    })
    expect(open('mine', 'delete_all', 'ada', load())).toBe('deny')
    expect(open('mine', 'read', 'ada', load())).toBe('allow')
    expect(open('mine', 'delete_all', 'bob', load())).toBe('allow')
    home.write('.portolan/rules.json', { agents: { ada: { allow: { servers: ['mine'] } } } })
    expect(open('mine', 'delete_all', 'ada', load())).toBe('deny')
    expect(open('mine', 'read', 'ada', load())).toBe('allow')
  })

  it('take away from a group, too, and give its people nothing', () => {
    const { cwd, home, load } = aStrangeFolder()
    cwd.write(RULES, {
      agents: { ada: { deny: { tools: { mine: ['list_*'] } } } },
      groups: {
        admirers: {
          match: { agent: 'a*' },
          allow: { servers: ['*'] },
          deny: { tools: { mine: ['delete_*'] }, effects: ['write'] },
        },
      },
    })
    const effects = (agent: string) =>
      ['delete_all', 'list_all', 'update_row', 'read'].map((tool) =>
        open('mine', tool, agent, load()),
      )
    expect(effects('ada')).toEqual(['deny', 'deny', 'deny', 'allow'])
    expect(effects('amy')).toEqual(['deny', 'allow', 'deny', 'allow'])
    expect(effects('bob')).toEqual(['allow', 'allow', 'allow', 'allow'])
    home.write('.portolan/rules.json', { agents: { ada: { allow: { servers: ['mine'] } } } })
    expect(effects('ada')).toEqual(['deny', 'deny', 'deny', 'allow'])
    expect(open('mine', 'read', 'amy', load())).toBe('deny')
  })

  it('give nothing: neither tools, nor agents, nor calls without a name', () => {
    const { cwd, home, load, trust } = aStrangeFolder()
    home.write('.portolan/rules.json', {
      agents: { ada: { allow: { tools: { mine: ['echo'] }, servers: ['mine'] } } },
    })
    cwd.write(RULES, {
      agents: { ada: { allow: { servers: ['*'] } }, eve: { allow: { servers: ['*'] } } },
      defaults: { deny_on_missing_agent: false },
    })
    expect(open('mine', 'secret', 'ada', load())).toBe('deny')
    expect(open('mine', 'echo', 'ada', load())).toBe('allow')
    expect(open('mine', 'echo', 'eve', load())).toBe('deny')
    expect(load().rules?.denyOnMissingAgent).toBe(true)
    trust(RULES)
    expect(open('mine', 'secret', 'ada', load())).toBe('allow')
    expect(open('mine', 'echo', 'eve', load())).toBe('allow')
    expect(load().rules?.denyOnMissingAgent).toBe(false)
  })
})

it('settings of a folder that is not trusted neither export, nor listen, nor log, nor move the home', () => {
  const { cwd, home, load, trust } = aStrangeFolder()
  cwd.write(SETTINGS, {
    home: cwd.file('data'),
    surface: 'direct',
    pins: ['mine.echo'],
    budgets: { maxTokens: 7, tools: { 'mine.echo': { maxTokens: 1 } } },
    listen: { host: '0.0.0.0', port: 1 },
    audit: { path: cwd.file('log'), arguments: true, export: 'syslog+tcp://198.51.100.7:601' },
    telemetry: { otlp: 'https://198.51.100.7' },
    auth: { required: false },
    builtins: { code: true },
  })
  const { settings, servers } = load()
  expect(settings).toMatchObject({
    home: home.file('.portolan'),
    surface: 'direct',
    pins: ['mine.echo'],
    budgets: { maxTokens: 7, tools: {} },
    listen: { host: '127.0.0.1', port: 7411 },
    audit: { arguments: false },
    auth: { required: 'auto' },
  })
  expect(settings.audit).not.toHaveProperty('path')
  expect(settings.audit).not.toHaveProperty('export')
  expect(JSON.stringify(settings)).not.toContain('198.51.100.7')
  expect([...servers.keys()]).toEqual(['mine'])
  cwd.write(SETTINGS, { home: cwd.file('data'), listen: { port: 1 } })
  trust(SETTINGS)
  expect(load().settings).toMatchObject({ home: cwd.file('data'), listen: { port: 1 } })
})

function follow({ cwd, place, trust }: ReturnType<typeof aStrangeFolder>) {
  cwd.write(MCP, server('theirs'))
  trust(MCP)
  const errors: unknown[] = []
  const watcher = watchConfig(place, {
    onReload: () => undefined,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => watcher.close())
  const names = () => [...watcher.current.servers.keys()]
  return { watcher, errors, names }
}

const soon = async (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 })

describe('while the gateway runs', () => {
  it('an edited file keeps its trusted content in use until it is trusted again', async () => {
    const folder = aStrangeFolder()
    const { watcher, errors, names } = follow(folder)
    folder.cwd.write(MCP, { mcpServers: { theirs: { command: 'edited' }, more: { command: 'x' } } })
    await soon(() => expect(watcher.current.leftOut).not.toEqual([]))
    expect(names()).toEqual(['mine', 'theirs'])
    expect(watcher.current.servers.get('theirs')).toMatchObject({ command: 'theirs' })
    expect(watcher.status.mcp_config.last_warnings).toEqual([
      `${folder.cwd.file(MCP)} has changed since it was trusted: 0 changes apply now, 2 wait for your trust. Read it, then run: portolan trust ${folder.cwd.path}`,
    ])
    expect(watcher.history[0]).toMatchObject({ outcome: 'partly', changes: [] })
    folder.trust(MCP)
    await soon(() => expect(names()).toEqual(['mine', 'theirs', 'more']))
    expect(watcher.current.servers.get('theirs')).toMatchObject({ command: 'edited' })
    expect(watcher.status.mcp_config.last_warnings).toEqual([])
    expect(errors).toEqual([])
  })

  it('a revoked file is dropped at once', async () => {
    const folder = aStrangeFolder()
    const { names } = follow(folder)
    expect(names()).toEqual(['mine', 'theirs'])
    expect(revokeTrust(folder.place, folder.cwd.path)).toEqual([folder.cwd.file(MCP)])
    await soon(() => expect(names()).toEqual(['mine']))
  })
})

it('remembers a bounded number of contents of one file, and all files', () => {
  const { cwd, place, trust, names } = aStrangeFolder()
  cwd.write(RULES, { agents: {} })
  trust(RULES)
  for (let n = 0; n < 60; n++) {
    cwd.write(MCP, server(`s${n}`))
    trust(MCP)
  }
  expect(names()).toEqual(['mine', 's59'])
  cwd.write(MCP, server('s0'))
  expect(names()).toEqual(['mine'])
  cwd.write(MCP, server('s30'))
  expect(names()).toEqual(['mine', 's30'])
  expect(revokeTrust(place, cwd.path)).toEqual([cwd.file(RULES), cwd.file(MCP)])
})
