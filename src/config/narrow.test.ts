import { rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { recordTrust, revokeTrust } from '../cli/shared/files/record-trust.ts'
import { type Decision, createPolicy } from '../gateway/agents/policy.ts'
import { type Config, loadConfig } from './load.ts'
import { watchConfig } from './reload/watch.ts'

const MCP = '.mcp.json'
const RULES = '.mcp-gateway-rules.json'
const SETTINGS = 'portolan.yaml'

/** A trusted folder and a gateway that runs in it. */
function aTrustedFolder(files: Readonly<Record<string, object>>) {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const place = { cwd: cwd.path, env: { HOME: home.path } }
  const trust = (...names: string[]) =>
    recordTrust(
      place,
      names.map((name) => ({ path: cwd.file(name), text: cwd.read(name) })),
      'trusted',
    )
  for (const [name, content] of Object.entries(files)) cwd.write(name, content)
  trust(...Object.keys(files))
  const watcher = watchConfig(place, { onReload: () => undefined })
  onTestFinished(() => watcher.close())
  /** The configuration after a change: of the gateway that runs, and of one that starts now. */
  const both = async () => ({ running: await watcher.reload(), started: loadConfig(place) })
  return { cwd, home, place, trust, watcher, both }
}

function may(config: Config, server: string, tool: string, agent = 'ada'): Decision['effect'] {
  const { rules, denials, changedRules: also } = config
  return createPolicy(rules, { denials, also }).tool({ id: agent }, server, tool).effect
}

const everything = { servers: ['*'] }
const rules = (ada: object, others: object = {}) => ({ agents: { ada, ...others } })

const deny = (...patterns: string[]) =>
  rules({ allow: everything, deny: { tools: { crm: patterns } } })
const twice = (...each: string[]) => [each, each]

describe('rules that have changed since they were trusted', () => {
  const before = rules(
    { allow: { servers: ['crm'], tools: { crm: ['read', 'write'] } } },
    { bob: { allow: everything } },
  )

  it.each([
    [
      'a denial',
      rules(
        { allow: everything, deny: { tools: { crm: ['write'] } } },
        { bob: { allow: everything } },
      ),
      'bob',
      'allow',
    ],
    [
      'a narrower list',
      rules({ allow: { ...everything, tools: { crm: ['read'] } } }),
      'bob',
      'deny',
    ],
    [
      'a group',
      {
        ...rules({ allow: everything }, { bob: {} }),
        groups: { all: { match: { agent: '*' }, deny: { effects: ['write'] } } },
      },
      'bob',
      'deny',
    ],
  ])('take away at once what %s takes away, and grant nothing', async (_, after, other, effect) => {
    const { cwd, both } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, after)
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
      expect(may(config, 'docs', 'update', other)).toBe(effect)
    }
  })

  it('refuse an agent that they no longer name, and do not know one that they name now', async () => {
    const { cwd, both } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, rules({ allow: everything }, { eve: { allow: everything } }))
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'read', 'bob')).toBe('deny')
      expect(may(config, 'crm', 'read', 'eve')).toBe('deny')
      expect(config.leftOut).toMatchObject([
        {
          message: `${cwd.file(RULES)} has changed since it was trusted: 2 changes apply now, 3 wait for your trust.`,
          changes: {
            inForce: expect.arrayContaining([
              'agent "bob" removed',
              'agent "ada": allow.servers "crm" removed',
            ]),
            waiting: expect.arrayContaining([
              'agent "eve" added',
              'agent "ada": allow.servers "*" added',
            ]),
          },
        },
      ])
    }
  })

  it('are followed through every edit, until they are trusted or as they were', async () => {
    const { cwd, both, trust } = aTrustedFolder({ [RULES]: before })
    const effects = async () =>
      Object.values(await both()).map((config) =>
        ['read', 'write', 'delete'].map((tool) => may(config, 'crm', tool)),
      )
    cwd.write(RULES, deny('write'))
    expect(await effects()).toEqual(twice('allow', 'deny', 'deny'))
    cwd.write(RULES, deny('read'))
    expect(await effects()).toEqual(twice('deny', 'allow', 'deny'))
    cwd.write(RULES, before)
    expect(await effects()).toEqual(twice('allow', 'allow', 'deny'))
    cwd.write(RULES, deny('read'))
    trust(RULES)
    expect(await effects()).toEqual(twice('deny', 'allow', 'allow'))
  })

  it('grant nothing when the file becomes bad or disappears, and what was taken away stays away', async () => {
    const { cwd, watcher, place } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    await watcher.reload()
    cwd.write(RULES, '{ not JSON')
    const isNarrow = (config: Config) => {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
    isNarrow(await watcher.reload())
    expect(watcher.current.leftOut[0]?.message).toContain('cannot be used (is not valid JSON')
    // A gateway that starts now knows only what was trusted.
    expect(may(loadConfig(place), 'docs', 'read')).toBe('deny')
    rmSync(cwd.file(RULES))
    isNarrow(await watcher.reload())
    expect(watcher.status.gateway_rules.last_error).toContain('file not found')
  })

  it('do not hold up the denials of the person', async () => {
    const { cwd, home, watcher } = aTrustedFolder({ [RULES]: rules({ allow: everything }) })
    home.write('.portolan/rules.json', rules({}, { bob: { allow: everything } }))
    await watcher.reload()
    for (const changed of [rules({ allow: { servers: ['crm'] } }), '{ not JSON']) {
      home.write('.portolan/rules.json', rules({}, { bob: { allow: everything } }))
      expect(may(await watcher.reload(), 'crm', 'read', 'bob')).toBe('allow')
      cwd.write(RULES, changed)
      home.write(
        '.portolan/rules.json',
        rules({}, { bob: { allow: everything, deny: everything } }),
      )
      expect(may(await watcher.reload(), 'crm', 'read', 'bob')).toBe('deny')
    }
    rmSync(cwd.file(RULES))
    home.write(
      '.portolan/rules.json',
      rules({}, { bob: { deny: { servers: ['docs'] }, allow: everything } }),
    )
    const config = await watcher.reload()
    expect(may(config, 'crm', 'read', 'bob')).toBe('allow')
    expect(may(config, 'docs', 'read', 'bob')).toBe('deny')
  })

  it('are narrowed by content that a person declined, and dropped when trust is revoked', async () => {
    const { cwd, place, both } = aTrustedFolder({ [RULES]: before })
    const text = JSON.stringify(rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    cwd.write(RULES, text)
    recordTrust(place, [{ path: cwd.file(RULES), text }], 'declined')
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
    revokeTrust(place, cwd.path)
    for (const config of Object.values(await both())) expect(config.rules).toBeUndefined()
  })

  it('are never wider than the new content where the trusted text is not stored', () => {
    const { cwd, home, place } = aTrustedFolder({ [RULES]: before })
    const list = JSON.parse(home.read('.portolan/trusted.json'))
    for (const file of list.files) delete file.text
    home.write('.portolan/trusted.json', list)
    cwd.write(RULES, rules({ allow: { servers: ['crm'], tools: { crm: ['read'] } } }))
    const config = loadConfig(place)
    expect(may(config, 'crm', 'read')).toBe('allow')
    expect(may(config, 'crm', 'write')).toBe('deny')
    expect(may(config, 'docs', 'read', 'bob')).toBe('deny')
    cwd.write(RULES, '{ not JSON')
    expect(() => loadConfig(place)).toThrow('is not valid JSON')
  })

  it('are not replaced by a file that somebody adds in front of them', async () => {
    const { cwd, both } = aTrustedFolder({ [`config/${RULES}`]: before })
    cwd.write(RULES, rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
  })
})

describe('servers of a file that has changed since it was trusted', () => {
  const before = { mcpServers: { one: { command: 'one' }, two: { command: 'two' } } }

  it('stop at once where they are removed or disabled, or offer fewer tools', async () => {
    const { cwd, watcher } = aTrustedFolder({ [MCP]: before })
    const { servers } = watcher.current
    cwd.write(MCP, {
      mcpServers: {
        one: { command: 'one', disabled_tools: ['drop_*'] },
        three: { command: 'three' },
      },
    })
    const config = await watcher.reload()
    expect([...config.servers.keys()]).toEqual(['one'])
    expect(config.servers.get('one')).toMatchObject({ tools: { without: ['drop_*'] } })
    expect(config.leftOut).toMatchObject([
      {
        changes: {
          inForce: ['server "one" changed', 'server "two" removed'],
          waiting: ['server "three" added'],
        },
      },
    ])
    expect(watcher.history[0]).toMatchObject({
      outcome: 'partly',
      changes: ['server "one" changed', 'server "two" removed'],
    })
    cwd.write(MCP, {
      mcpServers: { ...before.mcpServers, one: { command: 'other', disabled: true } },
    })
    const disabled = await watcher.reload()
    expect(disabled.servers.get('one')).toMatchObject({ command: 'one', enabled: false })
    expect(disabled.servers.get('two')).toEqual(servers.get('two'))
    cwd.write(MCP, before)
    expect((await watcher.reload()).servers).toEqual(servers)
  })

  it('offer only tools of both entries', async () => {
    const one = { command: 'one', enabled_tools: ['get_*', 'put_*'] }
    const { cwd, watcher } = aTrustedFolder({ [MCP]: { mcpServers: { one } } })
    cwd.write(MCP, { mcpServers: { one: { ...one, enabled_tools: ['get_*', 'drop_*'] } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({
      tools: { only: ['get_*', 'put_*'] },
      changedTools: { only: ['get_*', 'drop_*'] },
    })
    cwd.write(MCP, { mcpServers: { one: { ...one, enabled_tools: ['get_*'] } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({
      tools: { only: ['get_*'] },
    })
    cwd.write(MCP, { mcpServers: { one: { command: 'one' } } })
    const wider = (await watcher.reload()).servers.get('one')
    expect(wider).toMatchObject({ tools: { only: ['get_*', 'put_*'] } })
    expect(wider).not.toHaveProperty('changedTools')
  })

  it('give way to the server of the person that they hid', async () => {
    const { cwd, home, watcher } = aTrustedFolder({ [MCP]: before })
    home.write('.portolan/mcp.json', { mcpServers: { one: { command: 'mine' } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({ command: 'one' })
    cwd.write(MCP, { mcpServers: { two: { command: 'two' } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({ command: 'mine' })
  })

  it('do not start with the gateway', () => {
    const { cwd, place } = aTrustedFolder({ [MCP]: before })
    cwd.write(MCP, { mcpServers: { one: { command: 'other' } } })
    const config = loadConfig(place)
    expect([...config.servers.values()].filter(({ kind }) => kind === 'stdio')).toEqual([])
    expect(config.leftOut[0]?.message).toContain('none of its servers is started')
  })
})

it('settings that have changed since they were trusted switch off at once, and on once trusted', async () => {
  const { cwd, both, trust, watcher } = aTrustedFolder({
    [SETTINGS]: {
      scripts: { enabled: true },
      builtins: { code: true, traces: false },
      auth: { defaultAgent: 'ada', adminGroups: ['a', 'b'] },
    },
  })
  cwd.write(SETTINGS, {
    scripts: { enabled: false },
    builtins: { traces: true, code: false },
    auth: { required: true, adminGroups: ['b', 'c'] },
    audit: { arguments: true },
  })
  for (const { settings, servers } of Object.values(await both())) {
    expect(settings.scripts.enabled).toBe(false)
    expect(settings.builtins).toMatchObject({ code: false, traces: false })
    expect([...servers.keys()]).not.toContain('code')
    expect(settings.auth).toMatchObject({ required: true, adminGroups: ['b'] })
    expect(settings.auth.defaultAgent).toBeUndefined()
    expect(settings.audit.arguments).toBe(false)
  }
  cwd.write(SETTINGS, { scripts: { enabled: 7 } })
  const bad = await watcher.reload()
  expect(bad.settings.scripts.enabled).not.toBe(true)
  cwd.write(SETTINGS, { audit: { arguments: true } })
  trust(SETTINGS)
  for (const { settings } of Object.values(await both()))
    expect(settings.audit.arguments).toBe(true)
})
